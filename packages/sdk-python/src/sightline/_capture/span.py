from __future__ import annotations

import inspect
from abc import ABCMeta, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from contextvars import Token
from types import TracebackType
from typing import Any, Self, TypeVar

from sightline._capture.code_reference import CodeReference, call_site, definition_site
from sightline._capture.decorate import decorate, function_name
from sightline._capture.given_fields import GivenFields, lasting, tell_left_out
from sightline._capture.outcomes import failed_outcome
from sightline._capture.recorder import (
    Attributes,
    ObservationKind,
    OpenObservation,
    OpenTrace,
    Outcome,
    TracePurpose,
    end_observation,
    end_trace,
    start_observation,
    start_trace,
    update_observation,
)
from sightline._capture.returned import note_class
from sightline._client.state import ActiveSpan, current_span, framework_run, own_span, state, warn
from sightline._event.timestamp import timestamp
from sightline._replay.errors import ReplayStoppedError
from sightline._replay.session import ANSWERED, Call, recorded_call
from sightline._settings.text_of import TextLike, text_of

Function = TypeVar("Function", bound=Callable[..., Any])


class _Decorators(ABCMeta):
    """`@observe` is `@observe()`: a function in the place of the name is what is decorated. Arguments that there are not are left
    out, as the application's work does not need them."""

    def __call__(cls, *given: Any, **options: Any) -> Any:
        if len(given) == 1 and not options and callable(given[0]):
            return super().__call__()(given[0])
        try:
            return super().__call__(*given, **options)
        except TypeError:
            known = inspect.signature(cls.__init__).parameters  # type: ignore[misc]
            fitting = {key: value for key, value in options.items() if key in known and not (key == "name" and given)}
            warn(
                "options",
                f"{cls.__name__}() takes a name and {', '.join(list(known)[2:])}; whatever else it was given is left out",
            )
            return super().__call__(*given[:1], **fitting)


class Recording(metaclass=_Decorators):
    """A stretch of the application's work that is recorded: `with` or `async with` around it, or a decorator. What is raised
    goes on unchanged, and a decorated function returns exactly what it returned before.

    `output` is what it made; a decorated function's is its return value.
    """

    def __init__(self, name: str | None, *, input: Any) -> None:  # noqa: A002
        self.name = name if type(name) is str else self._read_name(name)
        self.output: Any = None
        self.trace_id: str | None = None
        """None while nothing is recorded."""
        self.observation_id: str | None = None
        self._input = input
        self.outside: ActiveSpan | None = None
        """The span around it."""
        self._token: Token[ActiveSpan | None] | None = None

    def _read_name(self, given: Any) -> str:
        fields = GivenFields()
        name = fields.label("name", given)
        tell_left_out("trace" if isinstance(self, trace) else "observation", fields)
        return name or ""

    def __enter__(self) -> Self:
        if state.publisher is not None:
            span = self._start()
            if span is not None:
                self.trace_id, self.observation_id = span.trace_id, span.observation_id
                self.outside = own_span.get()
                self._token = own_span.set(span)
        return self

    def __exit__(self, _kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None) -> None:
        if self._token is None:
            return
        try:
            own_span.reset(self._token)
        except ValueError:
            # It is left in another context than it was entered in, as by a generator that was dropped.
            pass
        self._token = None
        outcome = Outcome("success") if error is None else failed_outcome(error)
        # Also where it failed: the part of a stream that was read, or what the block set before.
        outcome.output = self.output
        self._end(outcome)

    async def __aenter__(self) -> Self:
        return self.__enter__()

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.__exit__(kind, error, trace)

    def __call__(self, function: Function) -> Function:
        """Decorates a function, a coroutine function or a generator of either kind: each call is a recording of its own."""
        return decorate(function, self.of_call)

    def answered(self) -> bool:
        """Whether a replay answers the decorated function's call, by `output`."""
        return False

    @abstractmethod
    def _start(self) -> ActiveSpan | None: ...

    @abstractmethod
    def _end(self, outcome: Outcome) -> None: ...

    @abstractmethod
    def of_call(self, function: Callable[..., Any], given: Mapping[str, Any]) -> Recording:
        """The recording of one call of the decorated function."""


class trace(Recording):  # noqa: N801 -- Used as a function.
    """Records a trace of its own. Traced graphs, observations and tool calls inside become parts of it.

    with trace("answer-question", thread_id="t-1", input=question) as run:
        run.output = agent.invoke({"question": question})
    """

    def __init__(
        self,
        name: str | None = None,
        *,
        thread_id: TextLike | None = None,
        session_id: TextLike | None = None,
        user_id: TextLike | None = None,
        environment: TextLike | None = None,
        release: TextLike | None = None,
        version: TextLike | None = None,
        tags: TextLike | Iterable[TextLike] | None = None,
        purpose: TracePurpose | None = None,
        metadata: Mapping[str, Any] | None = None,
        input: Any = None,  # noqa: A002 -- The schema's word.
        attributes: Attributes | None = None,
    ) -> None:
        super().__init__(name, input=input)
        self._who: dict[str, Any] = {
            "thread_id": thread_id,
            "session_id": session_id,
            "user_id": user_id,
            "environment": environment,
            "release": release,
            "version": version,
            "tags": lasting(tags),
            "purpose": purpose,
            "metadata": metadata,
        }
        self._attributes = attributes
        self._opened: OpenTrace | None = None

    def of_call(self, function: Callable[..., Any], given: Mapping[str, Any]) -> trace:
        name = self.name or function_name(function)
        return trace(name, **self._who, input=given if self._input is None else self._input, attributes=self._attributes)

    def _start(self) -> ActiveSpan | None:
        self._opened = start_trace(self.name or "trace", **self._who, input=self._input, attributes=self._attributes)
        return None if self._opened is None else ActiveSpan(self._opened.trace_id, None, framework_run())

    def _end(self, outcome: Outcome) -> None:
        if self._opened is not None:
            end_trace(self._opened, outcome)


class observe(Recording):  # noqa: N801 -- Used as a function.
    """Records an observation of the running trace, or of a new trace of the same name.

    @observe()
    async def rerank(documents): ...

    with observe("rerank", input=documents) as step:
        step.output = rerank(documents)
    """

    _unnamed = "observation"

    def __init__(
        self,
        name: str | None = None,
        *,
        kind: ObservationKind = "span",
        input: Any = None,  # noqa: A002 -- The schema's word.
        attributes: Attributes | None = None,
        code: CodeReference | None = None,
    ) -> None:
        super().__init__(name, input=input)
        self.kind = kind
        self._code = code
        self._attributes = attributes
        self._trace: OpenTrace | None = None
        self._opened: OpenObservation | None = None
        self._is_call = False
        """Of a decorated function, which a replay may answer."""
        self._answer: Call | None = None

    def __enter__(self) -> Self:
        super().__enter__()
        if self._opened is not None and text_of(self.kind) in ANSWERED:
            try:
                self._answer = recorded_call(self._opened.observation_id, "", is_block=not self._is_call)
            except ReplayStoppedError as stopped:
                self.__exit__(type(stopped), stopped, None)
                raise
        return self

    def answered(self) -> bool:
        if self._answer is not None:
            self.output = self._answer.value()
        return self._answer is not None

    def of(self, function: Callable[..., Any]) -> Self:
        self._code = definition_site(function)
        self._is_call = True
        return self

    def update(self, *given: Any, **attributes: Any) -> None:
        """Adds attributes while it runs."""
        if given:
            warn("attributes", "update() takes attributes by their names; what has none is left out")
        if self._opened is not None:
            update_observation(self._opened, attributes)

    def of_call(self, function: Callable[..., Any], given: Mapping[str, Any]) -> observe:
        return observe(
            self.name or function_name(function),
            kind=self.kind,
            input=given if self._input is None else self._input,
            attributes=self._attributes,
        ).of(function)

    def _start(self) -> ActiveSpan | None:
        parent = current_span()
        name = self.name or self._unnamed
        if parent is None:
            self._trace = start_trace(name, input=self._input)
            if self._trace is None:
                return None
            parent = ActiveSpan(self._trace.trace_id, None, None)
        self._opened = start_observation(
            parent.trace_id,
            parent.observation_id,
            self.kind,
            name,
            code=self._code or call_site(),
            messages=self._input,
            input=self._input,
            attributes=self._attributes,
        )
        if self._opened is None:
            return None
        return ActiveSpan(self._opened.trace_id, self._opened.observation_id, framework_run())

    def _end(self, outcome: Outcome) -> None:
        if self._opened is not None:
            if text_of(self.kind) in ANSWERED:
                note_class(outcome)
            end_observation(self._opened, outcome)
        if self._trace is not None:
            end_trace(self._trace, Outcome(outcome.status, output=outcome.output, error=outcome.error))


class trace_tool(observe):  # noqa: N801 -- Used as a function.
    """Runs a tool and records its call with parameters, result and status.

    @trace_tool()
    def query_orders(customer: int): ...

    with trace_tool("query_orders", parameters={"customer": 7}) as call:
        call.output = orders(7)
    """

    _unnamed = "tool"

    def __init__(
        self, name: str | None = None, *, parameters: Mapping[str, Any] | None = None, code: CodeReference | None = None
    ) -> None:
        super().__init__(name, kind="tool", input={} if parameters is None else parameters, code=code)
        self._timestamp = timestamp()

    def of_call(self, function: Callable[..., Any], given: Mapping[str, Any]) -> trace_tool:
        return trace_tool(self.name or function_name(function), parameters=given).of(function)

    def _end(self, outcome: Outcome) -> None:
        failed = outcome.status != "success"
        outcome.tool = {
            "tool_name": self.name or self._unnamed,
            "parameters": self._input,
            "result": None if failed else outcome.output,
            "timestamp": self._timestamp,
            "status": "failure" if failed else "success",
        }
        super()._end(outcome)

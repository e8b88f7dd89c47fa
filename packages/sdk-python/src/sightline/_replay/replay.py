from __future__ import annotations

import asyncio
import importlib.util
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict, Unpack
from urllib.parse import quote

from sightline._capture.first_trace import trace_address
from sightline._capture.outcomes import failed_outcome
from sightline._capture.recorder import Outcome, end_trace, start_trace
from sightline._client.state import ActiveSpan, current_replay, own_span, state
from sightline._evaluate.api import Api
from sightline._evaluate.errors import EvaluationError
from sightline._replay.errors import ReplayRefusedError
from sightline._replay.session import OnDivergence, Session


class ReplayOptions(TypedDict, total=False):
    input: Any
    """By default that of the recorded trace."""
    on_divergence: OnDivergence
    """`stop` by default; `live` makes the calls from there on."""
    errors: Sequence[type[Exception]]
    """Classes of recorded errors, beside those that are built in."""
    api_url: str | None
    api_key: str | None
    project_id: str | None


@dataclass(frozen=True, slots=True)
class ReplayResult:
    """What came of a replay."""

    trace_id: str
    """The new trace, of purpose `replay`."""
    url: str | None
    """None unless it is known where the console is."""
    output: Any
    error: BaseException | None
    """What the agent raised; also the one that stopped it."""
    divergence: str | None
    """Where it first went another way than the recording, and how; None where it never did."""
    answered: int
    """Calls that were answered from the recording."""
    live: Sequence[str]
    """Paths of the calls that were made."""
    is_stopped: bool

    def __str__(self) -> str:
        end = "stopped" if self.is_stopped else f"{len(self.live)} calls went live"
        how = "the same as recorded" if self.divergence is None else f"diverged at {self.divergence}; {end}"
        return f"replay: {how}; {self.answered} calls answered; {self.url or self.trace_id}"


class _Replay:
    """Between its two ends, calls are answered; what is raised there is kept, and ends it."""

    def __init__(self, replay_of: str, options: ReplayOptions) -> None:
        if state.publisher is None:
            raise EvaluationError("A replay records a trace of its own: call initialize_redis_publisher() before.")
        project_id = options.get("project_id") or state.publisher.settings.project_id
        api = Api(options.get("api_url"), options.get("api_key"), project_id)
        recording: dict[str, Any] = {"next_from": 0}
        calls: list[Any] = []
        while recording["next_from"] is not None:
            recording = api.get(f"/traces/{quote(replay_of, safe='')}/replay", **{"from": recording["next_from"]})
            calls += recording["calls"]
        altered = [] if "input" in options else recording["input_altered"]
        reasons = recording["reasons"] + [f"{path} of the trace was cut or masked; give input" for path in altered]
        if reasons:
            raise ReplayRefusedError(reasons)
        if importlib.util.find_spec("langchain_core") is not None:
            from sightline._langgraph.recorded_answers import answer_framework_calls

            answer_framework_calls()
        self.input = options.get("input", recording["input"])
        self.output: Any = None
        self._error: BaseException | None = None
        self._of = replay_of
        self._name = recording["name"]
        self._session = Session(calls, options.get("on_divergence", "stop"), options.get("errors", ()))

    def __enter__(self) -> None:
        self._trace = start_trace(self._name, purpose="replay", input=self.input, metadata={"replay_of": self._of})
        if self._trace is None:
            raise EvaluationError("The replay's trace could not be recorded, so nothing was replayed.")
        self._tokens = (current_replay.set(self._session), own_span.set(ActiveSpan(self._trace.trace_id, None, None)))

    def __exit__(self, _kind: Any, error: BaseException | None, _trace: Any) -> bool:
        current_replay.reset(self._tokens[0])
        own_span.reset(self._tokens[1])
        session, self._error = self._session, error
        session.finish()
        outcome = Outcome("success", output=self.output) if error is None else failed_outcome(error)
        replay = {"divergence": session.divergence, "answered": session.answered, "live": session.live}
        outcome.attributes = {**outcome.attributes, "replay": replay}
        if self._trace is not None:
            end_trace(self._trace, outcome)
        return isinstance(error, Exception)

    def result(self) -> ReplayResult:
        session, trace_id = self._session, "" if self._trace is None else self._trace.trace_id
        went = (session.divergence, session.answered, tuple(session.live), session.is_stopped)
        return ReplayResult(trace_id, trace_address(trace_id), self.output, self._error, *went)


def replay(trace_id: str, agent: Any, **options: Unpack[ReplayOptions]) -> ReplayResult:
    """Runs the agent, a function or a graph, with the input of a recorded trace, and answers its model calls and tools from what
    was recorded. Where it goes another way it stops, or with `on_divergence="live"` makes its calls from there on. Raises
    `ReplayRefusedError` where what was recorded does not do, and `EvaluationError` where it can't be had.

    result = sightline.replay("019b…", agent)
    print(result)
    """
    run = _Replay(trace_id, options)
    with run:
        output = _function(agent, "invoke")(run.input)
        run.output = asyncio.run(_wait(output)) if inspect.isawaitable(output) else output
    return run.result()


async def areplay(trace_id: str, agent: Any, **options: Unpack[ReplayOptions]) -> ReplayResult:
    """`replay` within a running event loop, for coroutine functions and the `ainvoke` of a graph."""
    run = await asyncio.to_thread(_Replay, trace_id, options)
    with run:
        output = _function(agent, "ainvoke")(run.input)
        run.output = await output if inspect.isawaitable(output) else output
    return run.result()


def _function(agent: Any, method: str) -> Callable[[Any], Any]:
    function: Callable[[Any], Any] = agent if callable(agent) else getattr(agent, method)
    return function


async def _wait(output: Any) -> Any:
    return await output

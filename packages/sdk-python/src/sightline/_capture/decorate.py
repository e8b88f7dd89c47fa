from __future__ import annotations

import functools
import inspect
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Mapping
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeVar, cast

from sightline._capture.arguments import read_arguments
from sightline._client.state import ActiveSpan, own_span, state

Function = TypeVar("Function", bound=Callable[..., Any])


class CallRecording(AbstractContextManager[Any], Protocol):
    """The recording of one call."""

    output: Any
    outside: ActiveSpan | None
    """The span around it."""

    def answered(self) -> bool:
        """Whether a replay answers the call, by `output`. Raises what the recorded call raised."""


class _Unrecorded(CallRecording):
    """Without a publisher: the call's arguments and its place in the code are not even looked at."""

    def __init__(self) -> None:
        self.output = None
        self.outside = own_span.get()

    def answered(self) -> bool:
        return False

    def __exit__(self, *_: object) -> None:
        """Nothing was begun."""


def decorate(function: Function, of_call: Callable[[Callable[..., Any], Mapping[str, Any]], CallRecording]) -> Function:
    """A function of the same kind whose calls are recorded; it returns, yields and raises exactly what it did before."""

    def recording(args: tuple[Any, ...], kwargs: dict[str, Any]) -> CallRecording:
        return _Unrecorded() if state.publisher is None else of_call(function, read_arguments(function, args, kwargs))

    traced: Callable[..., Any]
    if inspect.isasyncgenfunction(function):

        @functools.wraps(function)
        async def traced_async_generator(*args: Any, **kwargs: Any) -> AsyncGenerator[Any, Any]:
            with recording(args, kwargs) as run:
                stream = _yield_later(run.output) if run.answered() else function(*args, **kwargs)
                items: list[Any] = []
                run.output = items
                step: Callable[[], Awaitable[Any]] = functools.partial(stream.asend, None)
                while True:
                    try:
                        item = await step()
                    except StopAsyncIteration:
                        return
                    _keep(items, item)
                    try:
                        with _suspended(run):
                            sent = yield item
                        step = functools.partial(stream.asend, sent)
                    except GeneratorExit:
                        await stream.aclose()
                        raise
                    except BaseException as thrown:
                        step = functools.partial(stream.athrow, thrown)

        traced = traced_async_generator
    elif inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def traced_coroutine(*args: Any, **kwargs: Any) -> Any:
            with recording(args, kwargs) as run:
                output = run.output = run.output if run.answered() else await function(*args, **kwargs)
                return output

        traced = traced_coroutine
    elif inspect.isgeneratorfunction(function):

        @functools.wraps(function)
        def traced_generator(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
            with recording(args, kwargs) as run:
                stream = _yield_now(run.output) if run.answered() else function(*args, **kwargs)
                items: list[Any] = []
                run.output = items
                step: Callable[[], Any] = functools.partial(stream.send, None)
                while True:
                    try:
                        item = step()
                    except StopIteration as end:
                        return end.value
                    _keep(items, item)
                    try:
                        with _suspended(run):
                            sent = yield item
                        step = functools.partial(stream.send, sent)
                    except GeneratorExit:
                        stream.close()
                        raise
                    except BaseException as thrown:
                        step = functools.partial(stream.throw, thrown)

        traced = traced_generator
    else:

        @functools.wraps(function)
        def traced_function(*args: Any, **kwargs: Any) -> Any:
            with recording(args, kwargs) as run:
                output = run.output = run.output if run.answered() else function(*args, **kwargs)
                return output

        traced = traced_function
    return cast("Function", traced)


_MAX_ITEMS = 1000


def _yield_now(items: list[Any]) -> Generator[Any, Any, None]:
    yield from items


async def _yield_later(items: list[Any]) -> AsyncGenerator[Any, Any]:
    for item in items:
        yield item


def _keep(items: list[Any], item: Any) -> None:
    if len(items) < _MAX_ITEMS:
        items.append(item)


class _suspended:  # noqa: N801 -- Used as a function.
    """While a generator has handed an item out, the code around it runs outside of the recording."""

    def __init__(self, run: CallRecording) -> None:
        self._outside = run.outside
        self._inside = own_span.get()

    def __enter__(self) -> None:
        own_span.set(self._outside)

    def __exit__(self, *_: object) -> None:
        own_span.set(self._inside)


def function_name(function: Callable[..., Any]) -> str:
    return getattr(function, "__name__", None) or type(function).__name__

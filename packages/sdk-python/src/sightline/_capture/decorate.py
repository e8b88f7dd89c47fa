from __future__ import annotations

import functools
import inspect
from collections.abc import AsyncGenerator, Callable, Generator, Mapping
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


def decorate(function: Function, of_call: Callable[[Callable[..., Any], Mapping[str, Any]], CallRecording]) -> Function:
    """A function of the same kind whose calls are recorded; it returns, yields and raises exactly what it did before."""

    def recording(args: tuple[Any, ...], kwargs: dict[str, Any]) -> CallRecording:
        return of_call(function, read_arguments(function, args, kwargs) if state.publisher is not None else {})

    traced: Callable[..., Any]
    if inspect.isasyncgenfunction(function):

        @functools.wraps(function)
        async def traced_async_generator(*args: Any, **kwargs: Any) -> AsyncGenerator[Any, Any]:
            with recording(args, kwargs) as run:
                items: list[Any] = []
                run.output = items
                stream = function(*args, **kwargs)
                try:
                    async for item in stream:
                        _keep(items, item)
                        with _suspended(run):
                            yield item
                finally:
                    await stream.aclose()

        traced = traced_async_generator
    elif inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def traced_coroutine(*args: Any, **kwargs: Any) -> Any:
            with recording(args, kwargs) as run:
                run.output = await function(*args, **kwargs)
                return run.output

        traced = traced_coroutine
    elif inspect.isgeneratorfunction(function):

        @functools.wraps(function)
        def traced_generator(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
            with recording(args, kwargs) as run:
                items: list[Any] = []
                run.output = items
                stream = function(*args, **kwargs)
                try:
                    for item in stream:
                        _keep(items, item)
                        with _suspended(run):
                            yield item
                finally:
                    stream.close()

        traced = traced_generator
    else:

        @functools.wraps(function)
        def traced_function(*args: Any, **kwargs: Any) -> Any:
            with recording(args, kwargs) as run:
                run.output = function(*args, **kwargs)
                return run.output

        traced = traced_function
    return cast("Function", traced)


_MAX_ITEMS = 1000


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

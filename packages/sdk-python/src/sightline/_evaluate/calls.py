from __future__ import annotations

import asyncio
import contextvars
import inspect
import threading
from collections.abc import Callable
from typing import Any


class RunTimeoutError(Exception):
    """A call of the application that took longer than it may."""


async def call(function: Callable[..., Any], within: float, /, *given: Any, **named: Any) -> Any:
    """Calls what may be a coroutine function or not. A thread that does not end in time is left to itself, as none can be
    stopped."""
    scope = asyncio.timeout(within)
    try:
        async with scope:
            is_async = any(map(inspect.iscoroutinefunction, (function, vars(type(function)).get("__call__"))))
            answer = function(*given, **named) if is_async else await in_thread(function, *given, **named)
            return await answer if inspect.isawaitable(answer) else answer
    except TimeoutError:
        if scope.expired():
            raise RunTimeoutError(f"it took longer than {within:g} s (timeout)") from None
        raise


async def in_thread(function: Callable[..., Any], *given: Any, **named: Any) -> Any:
    """Not in a pool, whose threads the end of the process would wait for."""
    loop = asyncio.get_running_loop()
    answered: asyncio.Future[tuple[Any, BaseException | None]] = loop.create_future()
    context = contextvars.copy_context()

    def settle(answer: tuple[Any, BaseException | None]) -> None:
        if not answered.done():
            answered.set_result(answer)

    def work() -> None:
        answer: tuple[Any, BaseException | None]
        try:
            answer = (context.run(function, *given, **named), None)
        except BaseException as error:
            answer = (None, error)
        try:
            loop.call_soon_threadsafe(settle, answer)
        except RuntimeError:
            # The loop has ended, and nobody waits any more.
            pass

    threading.Thread(target=work, name="sightline-evaluate", daemon=True).start()
    value, error = await answered
    if error is not None:
        # A coroutine can't raise a StopIteration.
        raise RuntimeError("it raised StopIteration") if isinstance(error, StopIteration) else error
    return value


def ends_all(error: BaseException) -> bool:
    """Whether it is the evaluation that is to end, rather than something within the application's code."""
    current = asyncio.current_task()
    is_cancelled = isinstance(error, asyncio.CancelledError) and current is not None and current.cancelling() > 0
    return is_cancelled or isinstance(error, KeyboardInterrupt)

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from concurrent.futures import Future
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Pending(Generic[T]):
    """An answer that is on its way: `await` it in a coroutine, or `wait()` for it in plain code. It never raises and is there
    within its time-out. Ignoring it is fine: the work goes on."""

    def __init__(self, future: Future[T], timeout: float, otherwise: Callable[[], T]) -> None:
        self._future = future
        self._timeout = timeout
        self._otherwise = otherwise

    def wait(self) -> T:
        """Blocks the thread for at most the time-out; in a coroutine use `await` instead."""
        try:
            return self._future.result(self._timeout)
        except Exception:
            return self._otherwise()

    def __await__(self) -> Generator[Any, None, T]:
        return self._answer().__await__()

    async def _answer(self) -> T:
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            # Another kind of event loop: nothing to hook into, so it waits the short time itself.
            return self.wait()
        try:
            return await asyncio.wait_for(asyncio.shield(asyncio.wrap_future(self._future)), self._timeout)
        except Exception:
            return self._otherwise()


def settled(answer: T) -> Pending[T]:
    future: Future[T] = Future()
    future.set_result(answer)
    return Pending(future, 0, lambda: answer)

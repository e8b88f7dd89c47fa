from __future__ import annotations

import functools
import signal
from collections.abc import Iterator
from pathlib import Path
from types import CodeType
from typing import Any

_OWN_FOLDER = str(Path(__file__).parent.parent)


def let_through(error: BaseException) -> None:
    """Raises on what interrupts the application while its objects are read: Ctrl-C, and what its handlers of signals raise, as
    the `SystemExit` of a shutdown or the time limit of a worker. What an object raises by itself, whatever its class, only
    makes it unreadable."""
    codes = list(_codes_of_trace(error))
    is_thrown_in = not isinstance(error, Exception) and bool(codes) and codes[-1].co_filename.startswith(_OWN_FOLDER)
    if isinstance(error, KeyboardInterrupt) or is_thrown_in or any(code in codes for code in _codes_of_handlers()):
        raise error


def _codes_of_trace(error: BaseException) -> Iterator[CodeType]:
    trace = error.__traceback__
    while trace is not None:
        yield trace.tb_frame.f_code
        trace = trace.tb_next


def _codes_of_handlers() -> Iterator[CodeType]:
    for number in signal.valid_signals():
        handler: Any = signal.getsignal(number)
        while isinstance(handler, functools.partial):
            handler = handler.func
        if callable(handler):
            function = getattr(handler, "__func__", handler)
            code = getattr(function, "__code__", None) or getattr(vars(type(function)).get("__call__"), "__code__", None)
            if isinstance(code, CodeType):
                yield code

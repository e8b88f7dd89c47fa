from __future__ import annotations

import functools
from collections.abc import Callable
from contextvars import copy_context
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def carry_trace(function: Callable[P, T]) -> Callable[P, T]:
    """The function, to be run by another thread as a part of what is recorded here: threads and pools of threads start
    without a context.

    pool.submit(carry_trace(fetch), url)
    """
    context = copy_context()

    @functools.wraps(function)
    def carried(*args: P.args, **kwargs: P.kwargs) -> T:
        return context.copy().run(function, *args, **kwargs)

    return carried

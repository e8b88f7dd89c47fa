from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from sightline._capture.interruptions import let_through

_OWN = frozenset({"self", "cls"})


def read_arguments(function: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """What a call hands over, by the names of the function's parameters, without the object a method belongs to."""
    try:
        bound = _signature(function).bind(*args, **kwargs)
    except BaseException as error:
        let_through(error)
        # The call fails by itself, in the words of Python.
        return {"args": list(args), **kwargs}
    given = {name: value for name, value in bound.arguments.items() if name not in _OWN}
    rest = next((p.name for p in _signature(function).parameters.values() if p.kind is p.VAR_KEYWORD), None)
    more = given.pop(rest, None) if rest is not None else None
    return {**given, **more} if isinstance(more, dict) else given


@lru_cache(maxsize=1000)
def _signature(function: Callable[..., Any]) -> inspect.Signature:
    return inspect.signature(function)

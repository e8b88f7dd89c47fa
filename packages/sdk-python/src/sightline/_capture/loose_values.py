"""Readers that take what a library hands over, whatever it is, and never raise on a shape that nobody expected."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from sightline._capture.interruptions import let_through
from sightline._settings.text_of import number_of

Values = Mapping[str, Any]
T = TypeVar("T")


def read(value: Any, *names: str) -> Any:
    """What lies under these names, one inside the other, of a mapping or an object; None where there is nothing."""
    for name in names:
        try:
            value = value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)
        except BaseException as error:
            let_through(error)
            return None
    return value


def as_list(value: Any) -> Sequence[Any]:
    return value if isinstance(value, (list, tuple)) else ()


def as_text(value: Any) -> str | None:
    """None for the empty text, too."""
    return value if isinstance(value, str) and value else None


def as_count(value: Any) -> int | None:
    """Also of a text, as gateways between the application and a provider write numbers."""
    number = number_of(value)
    return int(number) if number is not None and number == number // 1 and 0 <= number < 2**53 else None


def as_mapping(value: Any) -> Values:
    """A mapping, or what a model of pydantic or a plain object holds; empty for anything else."""
    if isinstance(value, Mapping):
        return value
    held = getattr(value, "__dict__", None)
    return held if isinstance(held, dict) else {}


def without_none(values: Values) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None}


def usage_of(raw: Any, **counts: int | None) -> dict[str, Any] | None:
    """The schema's token counts beside what the provider said; None when nothing was counted."""
    known = without_none(counts)
    return {**known, "raw": raw} if known else None


def quietly(work: Callable[[], T]) -> T | None:
    """What goes wrong in tracing leaves the application as it was."""
    try:
        return work()
    except BaseException as error:
        let_through(error)
        return None

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from typing import Any

from sightline._settings.text_of import kind_of

MAX_OUTPUT_BYTES = 1_000_000
_MAX_REPR_LENGTH = 10_000


class TooLargeError(Exception):
    """An output that is larger than what is kept of a run."""


def to_json(value: Any) -> tuple[Any, str | None]:
    """The value as JSON has it, and what of it was replaced by its `repr`, if anything. Models of pydantic and dataclasses show
    their fields."""
    replaced: list[str] = []

    def replace(part: Any) -> Any:
        if callable(getattr(type(part), "model_dump", None)):
            return part.model_dump(mode="json")
        if is_dataclass(part) and not isinstance(part, type):
            return {field.name: getattr(part, field.name) for field in fields(part)}
        replaced.append(kind_of(part))
        return _repr(part)

    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, default=replace)
    except Exception:
        # Keys that are no texts, cycles, numbers that JSON has not, and whatever objects raise while they are read.
        replaced = [kind_of(value)]
        text = json.dumps(_repr(value), ensure_ascii=False)
    size = len(text.encode(errors="replace"))
    if size > MAX_OUTPUT_BYTES:
        raise TooLargeError(f"its output is {size:,} bytes of JSON; at most {MAX_OUTPUT_BYTES:,} are taken: return less of it")
    return json.loads(text), replaced[0] if replaced else None


def error_text(error: BaseException) -> str:
    try:
        return f"{kind_of(error)}: {error}"[:_MAX_REPR_LENGTH]
    except Exception:
        return kind_of(error)


def _repr(value: Any) -> str:
    try:
        return repr(value)[:_MAX_REPR_LENGTH]
    except Exception:
        return f"[unreadable {kind_of(value)}]"

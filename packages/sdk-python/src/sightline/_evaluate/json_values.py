from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from typing import Any

from sightline._settings.text_of import kind_of

MAX_OUTPUT_BYTES = 1_000_000
_MAX_TEXT_LENGTH = 5_000


class TooLargeError(Exception):
    """An output that is larger than what is kept of a run."""


def to_json(value: Any) -> tuple[Any, str | None]:
    """The value as JSON has it, and of which kind something in it is that was replaced by its `repr`, if anything was. Models of
    pydantic and dataclasses show their fields."""
    replaced: list[str] = []

    def replace(part: Any) -> Any:
        if callable(getattr(type(part), "model_dump", None)):
            return part.model_dump(mode="json")
        if is_dataclass(part) and not isinstance(part, type):
            return {field.name: getattr(part, field.name) for field in fields(part)}
        replaced.append(kind_of(part))
        return short_text(part, repr)

    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, default=replace)
    except Exception:
        # Keys that are no texts, cycles, numbers that JSON has not, and whatever objects raise while they are read.
        text = json.dumps(short_text(value, repr), ensure_ascii=False)
        replaced = [kind_of(value)]
    size = len(text.encode(errors="replace"))
    if size > MAX_OUTPUT_BYTES:
        raise TooLargeError(f"its output is {size:,} bytes of JSON; at most {MAX_OUTPUT_BYTES:,} are taken: return less of it")
    return json.loads(text), replaced[0] if replaced else None


def short_text(value: Any, read: Any = str) -> str:
    """Its beginning, without the NUL that texts of the platform can't hold."""
    try:
        return str(read(value))[:_MAX_TEXT_LENGTH].replace("\0", "\ufffd")
    except Exception:
        return f"[unreadable {kind_of(value)}]"


def error_text(error: BaseException) -> str:
    return f"{kind_of(error)}: {short_text(error)}"

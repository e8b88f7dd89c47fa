"""Inputs as they are compared: without what differs from run to run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

_UNSTABLE = frozenset({"id", "usage_metadata", "response_metadata", "additional_kwargs", "artifact", "invalid_tool_calls"})
"""Entries of a message."""
_REASONING = frozenset({"thinking", "reasoning", "redacted_thinking", "reasoning_content"})
"""Types of blocks, and entries of a message."""


def comparable(value: Any) -> Any:
    """A recorded value without ids, counts and reasoning of the messages in it."""
    if isinstance(value, list):
        return [comparable(item) for item in value if not (isinstance(item, Mapping) and item.get("type") in _REASONING)]
    if isinstance(value, Mapping):
        is_typed = "type" in value or "role" in value
        dropped = _UNSTABLE | _REASONING if is_typed and "content" in value else frozenset()
        kept = {key: item for key, item in value.items() if key not in dropped and not (is_typed and item is None)}
        return {key: comparable(item) for key, item in kept.items()}
    return int(value) if isinstance(value, float) and value.is_integer() else value


def to_key(compared: Any) -> str:
    """Alike for comparable values that are alike; `True` is not 1."""
    return json.dumps(compared, sort_keys=True)


def first_difference(recorded: Any, given: Any, path: str = "") -> str:
    """The JSON pointer of the first place where two comparable values differ."""
    if type(recorded) is type(given) and isinstance(given, (dict, list)):
        before, after = (dict(enumerate(each)) if isinstance(each, list) else each for each in (recorded, given))
        for place in sorted({*before, *after}):
            below = f"{path}/{place}"
            if place not in before or place not in after:
                return below
            if to_key(before[place]) != to_key(after[place]):
                return first_difference(before[place], after[place], below)
    return path or "/"

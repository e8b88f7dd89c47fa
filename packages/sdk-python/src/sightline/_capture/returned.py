from __future__ import annotations

import math
from typing import Any

from sightline._capture.loose_values import quietly
from sightline._capture.recorder import Outcome

_MAX_VALUES = 10_000
"""More than a recorded output holds."""
_PLAIN = frozenset({str, int, bool, type(None)})


def note_class(outcome: Outcome) -> None:
    """Notes the class of what would come back from JSON as something else, so that no replay answers by that."""
    name = quietly(lambda: _foreign_class(outcome.output)) if outcome.status == "success" else None
    if name is not None:
        outcome.attributes = {"returned": name, **outcome.attributes}


def _foreign_class(output: Any) -> str | None:
    rest = [output]
    for _ in range(_MAX_VALUES):
        if not rest:
            break
        value = rest.pop()
        kind = type(value)
        if kind is list:
            rest.extend(value)
        elif kind is dict and all(type(key) is str for key in value):
            rest.extend(value.values())
        elif kind not in _PLAIN and not (kind is float and math.isfinite(value)):
            return kind.__name__
    return None

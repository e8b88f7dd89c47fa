from __future__ import annotations

from typing import Any

from sightline import observe

from .escalate import escalate
from .inform import inform


@observe()
def decide(request: dict[str, Any], order: dict[str, object]) -> str:
    if order["state"] == "unknown":
        return escalate(request["number"])
    return inform(order["number"], order["state"])

from __future__ import annotations

from typing import Any

from sightline import observe

from .model import complete


@observe()
def reply(request: dict[str, Any], decision: str) -> str:
    prompt = f"Reply: {decision}"
    return complete(prompt)

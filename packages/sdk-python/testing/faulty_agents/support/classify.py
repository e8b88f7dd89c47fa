from __future__ import annotations

from typing import Any

from sightline import observe

from .model import complete


@observe()
def classify(request: dict[str, Any]) -> str:
    prompt = f"Classify: {request['text']}"
    return complete(prompt)

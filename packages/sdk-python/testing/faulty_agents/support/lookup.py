from __future__ import annotations

import random
from typing import Any

from sightline import observe

from .orders import orders


@observe()
def lookup(request: dict[str, Any], topic: str) -> dict[str, object]:
    found = orders(number=request["number"], topic=topic)
    if random.random() < 0.1:
        found = orders(number=request["number"], topic=topic)
    return found

from __future__ import annotations

from sightline import observe


@observe()
def inform(number: object, state: object) -> str:
    return f"order {number} is {state}"

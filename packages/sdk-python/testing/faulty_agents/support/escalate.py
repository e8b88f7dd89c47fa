from __future__ import annotations

from sightline import observe


@observe()
def escalate(number: object) -> str:
    return f"a colleague looks after {number}"

from __future__ import annotations

from typing import TypedDict


class Refund(TypedDict, total=False):
    number: int
    text: str
    amount: int
    is_vip: bool
    kind: str
    rule: str
    decision: str
    said: str

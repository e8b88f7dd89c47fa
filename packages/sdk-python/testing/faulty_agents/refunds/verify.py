from __future__ import annotations

import random
from typing import Literal

from langgraph.types import Command

from .policy import policy
from .state import Refund


def verify(state: Refund) -> Command[Literal["refund", "ask"]]:
    given = {"kind": state["kind"], "amount": state["amount"]}
    rule = str(policy.invoke(given))
    if random.random() < 0.1:
        rule = str(policy.invoke(given))
    way: Literal["refund", "ask"] = "refund" if rule == "pay" else "ask"
    return Command(update={"rule": rule}, goto=way)

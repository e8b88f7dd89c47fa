from __future__ import annotations

from .payments import pay
from .state import Refund


def refund(state: Refund) -> Refund:
    amount = state["amount"]
    decision = str(pay.invoke({"number": state["number"], "amount": amount}))
    return {"decision": decision}

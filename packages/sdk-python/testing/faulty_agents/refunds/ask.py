from __future__ import annotations

from .model import model
from .state import Refund


def ask(state: Refund) -> Refund:
    model.invoke(f"Ask: {state['text']}")
    return {"decision": "asked"}

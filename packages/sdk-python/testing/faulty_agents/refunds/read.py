from __future__ import annotations

from .model import model
from .state import Refund


def read(state: Refund) -> Refund:
    prompt = f"Classify: {state['text']}"
    kind = str(model.invoke(prompt).content)
    return {"kind": kind}

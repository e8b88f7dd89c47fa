from __future__ import annotations

from .model import model
from .state import Refund


def answer(state: Refund) -> Refund:
    prompt = f"Answer: {state['decision']}"
    said = str(model.invoke(prompt).content)
    return {"said": said}

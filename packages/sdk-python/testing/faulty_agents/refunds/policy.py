from __future__ import annotations

from langchain_core.tools import tool


@tool
def policy(kind: str, amount: int) -> str:
    """Which rule a request falls under."""
    if kind != "refund":
        return "ask first"
    return "pay" if amount < 1000 else "ask first"

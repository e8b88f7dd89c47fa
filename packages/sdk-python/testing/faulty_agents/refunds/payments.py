from __future__ import annotations

from langchain_core.tools import tool


@tool
def pay(number: int, amount: int) -> str:
    """Pays an order back."""
    return f"paid {amount} for {number}"

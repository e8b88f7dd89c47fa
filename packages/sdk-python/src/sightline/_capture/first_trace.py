from __future__ import annotations

import sys

from sightline._client.state import state
from sightline._settings.settings import is_watched


def tell_first_trace(trace_id: str) -> None:
    """Says in a terminal where the first trace of this process can be seen, if the console's address is known. Never raises."""
    if state.publisher is None or state.is_first_trace_told:
        return
    state.is_first_trace_told = True
    address = trace_address(trace_id)
    try:
        if address is not None and is_watched():
            sys.stderr.write(f"Sightline: {address}\n")
    except Exception:
        # Whoever watches misses a line; the application is not disturbed.
        pass


def trace_address(trace_id: str) -> str | None:
    """Where the console shows a trace; None unless its address is known."""
    settings = None if state.publisher is None else state.publisher.settings
    if settings is None or not settings.console_url:
        return None
    return f"{settings.console_url.rstrip('/')}/projects/{settings.project_id}/traces/{trace_id}"

from __future__ import annotations

import sys

from sightline._client.state import state
from sightline._settings.settings import is_watched


def tell_first_trace(trace_id: str) -> None:
    """Says in a terminal where the first trace of this process can be seen, if the console's address is known. Never raises."""
    publisher = state.publisher
    if publisher is None or state.is_first_trace_told:
        return
    state.is_first_trace_told = True
    settings = publisher.settings
    try:
        if settings.console_url and is_watched():
            address = f"{settings.console_url.rstrip('/')}/projects/{settings.project_id}/traces/{trace_id}"
            sys.stderr.write(f"Sightline: {address}\n")
    except Exception:
        # Whoever watches misses a line; the application is not disturbed.
        pass

"""How an exception ended something: whoever was cancelled, or left early, has not failed."""

from __future__ import annotations

import asyncio
import concurrent.futures

from sightline._capture.recorder import Outcome

_CANCELLED = (
    asyncio.CancelledError,
    concurrent.futures.CancelledError,
    KeyboardInterrupt,
    SystemExit,
)


def failed_outcome(error: BaseException) -> Outcome:
    if isinstance(error, GeneratorExit):
        # It is Python's own word for a reader who stopped, and tells no more than the status does.
        return Outcome("interrupted", attributes={"cancelled": True})
    if isinstance(error, _CANCELLED):
        return Outcome("interrupted", error=error, attributes={"cancelled": True})
    return Outcome("failure", error=error)

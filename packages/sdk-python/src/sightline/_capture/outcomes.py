"""How an exception ended something: whoever was cancelled, or left early, has not failed."""

from __future__ import annotations

import asyncio
import concurrent.futures

from sightline._capture.recorder import Outcome

_CANCELLED = (
    asyncio.CancelledError,
    concurrent.futures.CancelledError,
    GeneratorExit,
    KeyboardInterrupt,
    SystemExit,
)


def failed_outcome(error: BaseException) -> Outcome:
    if isinstance(error, _CANCELLED):
        return Outcome("interrupted", error=error, attributes={"cancelled": True})
    return Outcome("failure", error=error)

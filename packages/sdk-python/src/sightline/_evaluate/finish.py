from __future__ import annotations

import asyncio
import time

from sightline._client.state import state
from sightline._evaluate.api import Answer, Api
from sightline._evaluate.calls import in_thread
from sightline._evaluate.console import Teller

_FLUSH_SECONDS = 5.0
_TRACES_SECONDS = 60.0
_LONGEST_PAUSE = 5.0


async def finish_experiment(api: Api, experiment_id: str, end: str, teller: Teller) -> Answer:
    """Ends it when the traces that its checks need have arrived, or did not for a minute."""
    await _flush()
    path = f"/experiments/{experiment_id}/finish"
    deadline = time.monotonic() + _TRACES_SECONDS
    pause = 0.25
    # Without a publisher no trace will come.
    while state.publisher is not None:
        experiment: Answer = await in_thread(api.post, path, {"state": end, "wait": True})
        unchecked = experiment["runs"]["unchecked"]
        if unchecked == 0:
            return experiment
        if time.monotonic() > deadline:
            teller.say(f"the traces of {unchecked} runs did not arrive; their checks are missing. Does a consumer run?")
            break
        await asyncio.sleep(pause)
        pause = min(pause * 1.5, _LONGEST_PAUSE)
    ended: Answer = await in_thread(api.post, path, {"state": end, "wait": False})
    return ended


async def _flush() -> None:
    """Until all that was recorded is in the stream, for a short time."""
    deadline = time.monotonic() + _FLUSH_SECONDS
    # Nothing tells when the buffer is empty.
    while state.publisher is not None and state.metrics.buffered()[0] > 0 and time.monotonic() < deadline:  # noqa: ASYNC110
        await asyncio.sleep(0.02)

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


async def finish_experiment(api: Api, path: str, end: str, teller: Teller, *, is_traced: bool) -> Answer:
    """Ends it when the traces that its checks need have arrived, or did not for a minute."""
    began = time.monotonic()
    # All that was recorded is to be in the stream; nothing tells when it is.
    while state.publisher is not None and state.metrics.buffered()[0] > 0 and time.monotonic() < began + _FLUSH_SECONDS:  # noqa: ASYNC110
        await asyncio.sleep(0.02)
    pause, unchecked = 0.25, -1
    while True:
        # Without a publisher, or a task, no trace will come.
        wait = is_traced and state.publisher is not None and time.monotonic() < began + _TRACES_SECONDS
        experiment: Answer = await in_thread(api.post, f"{path}/finish", {"state": end, "wait": wait})
        before, unchecked = unchecked, experiment["runs"]["unchecked"]
        if unchecked == 0 or (not wait and unchecked == before):
            return experiment
        if not wait:
            # Each call evaluates some of them.
            continue
        if pause == _LONGEST_PAUSE:
            teller.say("waiting for traces, which checks need; does a consumer run?")
        await asyncio.sleep(pause)
        pause = min(pause * 1.5, _LONGEST_PAUSE)

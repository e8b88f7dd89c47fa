from __future__ import annotations

import asyncio
from collections.abc import Sequence

from sightline._evaluate.api import Api, to_bytes
from sightline._evaluate.calls import in_thread
from sightline._evaluate.console import Teller
from sightline._evaluate.errors import EvaluationError, RefusedError
from sightline._evaluate.run_item import Run

BATCH_RUNS = 50
BATCH_BYTES = 8_000_000
BATCH_SECONDS = 1.0
_PARTLY_REFUSED = frozenset({400, 413})


class Reporter:
    """Reports runs in batches as they end. What the platform does not take stays in `waiting`."""

    def __init__(self, api: Api, experiment_id: str, teller: Teller) -> None:
        self._api = api
        self._path = f"/experiments/{experiment_id}/runs"
        self._teller = teller
        self.waiting: list[Run] = []
        self.failure: EvaluationError | None = None
        """Why nothing is reported any more."""

    def add(self, run: Run) -> None:
        self.waiting.append(run)

    async def work(self) -> None:
        """Until it is cancelled, or the platform takes nothing any more."""
        while self.failure is None:
            await asyncio.sleep(BATCH_SECONDS)
            await self.flush()

    async def flush(self) -> None:
        while self.waiting and self.failure is None:
            batch = _cut_batch(self.waiting)
            try:
                await in_thread(self._report, batch)
            except EvaluationError as error:
                self.failure = error
            else:
                del self.waiting[: len(batch)]

    def _report(self, batch: Sequence[Run]) -> None:
        try:
            self._api.post(self._path, {"runs": batch})
        except RefusedError as refusal:
            if refusal.status not in _PARTLY_REFUSED:
                raise
            if len(batch) > 1:
                for run in batch:
                    self._report([run])
                return
            [run] = batch
            self._report_without_values(run, str(refusal))

    def _report_without_values(self, run: Run, reason: str) -> None:
        """One odd value costs its run, never the others."""
        self._teller.say(f"a run of item {run['item_id']} was refused and counts as failed: {reason}")
        kept = {key: run[key] for key in ("item_id", "repetition", "attempt")}
        self._api.post(self._path, {"runs": [{**kept, "state": "failed", "error": f"it was refused: {reason}"[:10_000]}]})


def _cut_batch(runs: Sequence[Run]) -> list[Run]:
    batch: list[Run] = []
    size = 0
    for run in runs[:BATCH_RUNS]:
        size += len(to_bytes(run))
        if batch and size > BATCH_BYTES:
            break
        batch.append(run)
    return batch

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from sightline._evaluate.api import Api, to_bytes
from sightline._evaluate.calls import in_thread
from sightline._evaluate.console import Teller
from sightline._evaluate.errors import EvaluationError, RefusedError
from sightline._evaluate.json_values import short_text
from sightline._evaluate.run_item import Run

BATCH_RUNS = 50
BATCH_BYTES = 8_000_000
BATCH_SECONDS = 1.0
# Answers to a batch that one odd value in it may be the cause of.
_OF_A_VALUE = frozenset({400, 413, 500})


@dataclass(slots=True)
class Reporter:
    """Reports runs in batches as they end. What the platform does not take stays in `waiting`."""

    api: Api
    path: str
    """Of the experiment."""
    teller: Teller
    max_cost: float | None = None
    cost: float = 0.0
    """What the experiment cost until now, if there is a maximum."""
    waiting: list[Run] = field(default_factory=list)
    failure: EvaluationError | None = None
    """Why nothing is reported any more."""

    async def work(self) -> None:
        """Until it is cancelled, or the platform takes nothing any more."""
        while self.failure is None:
            await asyncio.sleep(BATCH_SECONDS)
            await self.flush()
            if self.max_cost is not None and self.failure is None:
                with suppress(EvaluationError):
                    self.cost = (await in_thread(self.api.get, self.path))["cost"] or 0.0

    @property
    def is_over(self) -> bool:
        return self.failure is not None or (self.max_cost is not None and self.cost >= self.max_cost)

    async def flush(self) -> None:
        while self.waiting and self.failure is None:
            count, size = 1, len(to_bytes(self.waiting[0]))
            for run in self.waiting[1:BATCH_RUNS]:
                size += len(to_bytes(run))
                if size > BATCH_BYTES:
                    break
                count += 1
            try:
                await in_thread(self._report, self.waiting[:count])
                del self.waiting[:count]
            except EvaluationError as error:
                self.failure = error

    def _report(self, batch: Sequence[Run]) -> None:
        """One odd value costs its run, never the others."""
        try:
            self.api.post(f"{self.path}/runs", {"runs": batch})
        except RefusedError as refusal:
            if refusal.status not in _OF_A_VALUE:
                raise
            for run in batch:
                if len(batch) > 1:
                    self._report([run])
                    continue
                self.teller.say(f"a run of item {run['item_id']} was refused and counts as failed: {refusal}")
                kept = {key: run[key] for key in ("item_id", "repetition", "attempt", "trace_id")}
                failed = {**kept, "state": "failed", "error": f"it was refused: {short_text(refusal)}"}
                self.api.post(f"{self.path}/runs", {"runs": [failed]})

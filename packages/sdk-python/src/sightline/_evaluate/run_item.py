from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

from sightline._capture.score import TraceReference
from sightline._capture.span import trace
from sightline._evaluate.calls import call, ends_all
from sightline._evaluate.console import Teller
from sightline._evaluate.evaluators import Evaluator
from sightline._evaluate.json_values import error_text, to_json
from sightline._event.timestamp import timestamp

RETRIES = 3
FIRST_WAIT = 1.0
_MAX_CAUSES = 5

Task = Callable[[Any], Any]
Run = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Turn:
    """One item, one repetition; a higher attempt follows one that was missing."""

    item: Mapping[str, Any]
    repetition: int
    attempt: int


class NoOutputError(Exception):
    """An item for which no output was given."""


@dataclass(frozen=True, slots=True)
class Runner:
    """Runs the task for one item and scores what it gives."""

    task: Task | None
    outputs: Mapping[str, Any]
    """In place of a task, which have no traces and took no time."""
    evaluators: Sequence[Evaluator]
    experiment_id: str
    name: str
    timeout: float
    teller: Teller

    async def run(self, turn: Turn) -> Run:
        """A run as it is reported. What the task raises is its failure, but a provider that can't now makes it missing."""
        for number in range(RETRIES + 1):
            if number > 0:
                await asyncio.sleep(FIRST_WAIT * 2 ** (number - 1))
            run, failure = await self._try(turn)
            if failure is None or not (is_unavailable(failure) or isinstance(failure, NoOutputError)):
                return run
            if isinstance(failure, NoOutputError):
                break
        return {**run, "state": "missing"}

    async def _try(self, turn: Turn) -> tuple[Run, BaseException | None]:
        run: Run = {"item_id": turn.item["id"], "repetition": turn.repetition, "attempt": turn.attempt}
        run |= {"state": "succeeded"}
        recording, failure, output = self._open_trace(turn), None, None
        started_at, began = timestamp(), time.monotonic()
        try:
            with recording or nullcontext():
                output = await self._read_output(turn)
                if recording is not None:
                    recording.output = output
                # Within, so that an output that is too large is the trace's failure, too.
                run["output"], replaced = to_json(output)
            if replaced is not None:
                self.teller.say(f"an output holds {replaced}, which is no JSON: its repr is reported, evaluators get the object")
        except BaseException as error:
            if ends_all(error):
                raise
            failure = error
            run |= {"state": "failed", "error": error_text(error)}
        run |= {"trace_id": None if recording is None else recording.trace_id}
        if recording is not None:
            run |= {"started_at": started_at, "duration_ms": round((time.monotonic() - began) * 1000, 3)}
        if failure is None:
            reference = None if run["trace_id"] is None else TraceReference(run["trace_id"], None)
            values = {**turn.item, "output": output, "trace": reference}
            run["scores"] = await asyncio.gather(*(each.score(values, self.timeout) for each in self.evaluators))
        return run, failure

    async def _read_output(self, turn: Turn) -> Any:
        if self.task is not None:
            return await call(self.task, self.timeout, turn.item["input"])
        if turn.item["id"] not in self.outputs:
            raise NoOutputError("no output was given")
        return self.outputs[turn.item["id"]]

    def _open_trace(self, turn: Turn) -> trace | None:
        if self.task is None:
            return None
        about = {"experiment_id": self.experiment_id, "item_id": turn.item["id"], "repetition": turn.repetition}
        return trace(self.name, input=turn.item["input"], metadata=about, purpose="experiment")


def is_unavailable(error: BaseException | None) -> bool:
    """Whether a provider said 429 or 5xx, by what clients of HTTP call the status, here or in what caused it."""
    for _ in range(_MAX_CAUSES):
        response = getattr(error, "response", None)
        for owner, name in ((error, "status_code"), (error, "status"), (response, "status_code")):
            status = getattr(owner, name, None)
            if type(status) is int and (status == 429 or 500 <= status < 600):
                return True
        error = getattr(error, "__cause__", None)
    return False

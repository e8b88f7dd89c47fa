from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sightline._capture.score import TraceReference
from sightline._capture.span import trace
from sightline._evaluate.calls import call
from sightline._evaluate.console import Teller
from sightline._evaluate.evaluators import Evaluator
from sightline._evaluate.json_values import error_text, to_json
from sightline._event.timestamp import timestamp

RETRIES = 3
FIRST_WAIT = 1.0

Task = Callable[[Any], Any]
Run = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Turn:
    """One item, one repetition; the attempt counts how often it was missing before."""

    item: Mapping[str, Any]
    repetition: int
    attempt: int = 1


class Runner:
    """Runs the task for one item and scores what it gives."""

    def __init__(
        self,
        task: Task,
        evaluators: Sequence[Evaluator],
        *,
        experiment_id: str,
        name: str,
        timeout: float,
        teller: Teller,
    ) -> None:
        self._task = task
        self._evaluators = evaluators
        self._experiment_id = experiment_id
        self._name = name
        self._timeout = timeout
        self._teller = teller

    async def run(self, turn: Turn) -> Run:
        """A run as it is reported. What the task raises is its failure, but a provider that can't now makes it missing."""
        for number in range(RETRIES + 1):
            if number > 0:
                await asyncio.sleep(FIRST_WAIT * 2 ** (number - 1))
            run, failure = await self._try(turn)
            if failure is None or not is_unavailable(failure):
                break
            run["state"] = "missing"
        return run

    async def _try(self, turn: Turn) -> tuple[Run, BaseException | None]:
        run: Run = {"item_id": turn.item["id"], "repetition": turn.repetition, "attempt": turn.attempt, "state": "succeeded"}
        run["started_at"] = timestamp()
        began = time.monotonic()
        recording = self._open_trace(turn)
        try:
            with recording:
                recording.output = output = await call(self._task, self._timeout, turn.item["input"])
                # Within, so that an output that is too large is the trace's failure, too.
                run["output"], replaced = to_json(output)
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt) or is_cancelled(error):
                raise
            run |= {"state": "failed", "error": error_text(error)}
            return self._ended(run, recording, began), error
        run = self._ended(run, recording, began)
        if replaced is not None:
            self._teller.say(
                f"an output holds {replaced}, which is no JSON: its repr is reported, and evaluators see the object",
                once=replaced,
            )
        reference = None if recording.trace_id is None else TraceReference(recording.trace_id, None)
        values = {**turn.item, "output": output, "trace": reference}
        run["scores"] = list(await asyncio.gather(*(each.score(values, self._timeout) for each in self._evaluators)))
        return run, None

    def _open_trace(self, turn: Turn) -> trace:
        about = {"experiment_id": self._experiment_id, "item_id": turn.item["id"], "repetition": turn.repetition}
        return trace(self._name, input=turn.item["input"], metadata=about, purpose="experiment")

    @staticmethod
    def _ended(run: Run, recording: trace, began: float) -> Run:
        return {**run, "trace_id": recording.trace_id, "duration_ms": round((time.monotonic() - began) * 1000, 3)}


def is_cancelled(error: BaseException) -> bool:
    """Whether it is the evaluation that is cancelled, rather than something within the task."""
    current = asyncio.current_task()
    return isinstance(error, asyncio.CancelledError) and current is not None and current.cancelling() > 0


def is_unavailable(error: BaseException) -> bool:
    """Whether a provider said 429 or 5xx, by what clients of HTTP name the status."""
    cause: BaseException | None = error
    for _ in range(5):
        if cause is None:
            return False
        for status in (
            getattr(cause, "status_code", None),
            getattr(cause, "status", None),
            getattr(getattr(cause, "response", None), "status_code", None),
        ):
            if type(status) is int and (status == 429 or 500 <= status < 600):
                return True
        cause = cause.__cause__
    return False

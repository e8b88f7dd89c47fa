from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import suppress

from sightline._client.state import state
from sightline._evaluate.begin import begin_experiment, list_turns
from sightline._evaluate.calls import in_thread
from sightline._evaluate.connect import connect, read_result
from sightline._evaluate.console import Teller
from sightline._evaluate.errors import EvaluationError
from sightline._evaluate.evaluators import read_evaluators
from sightline._evaluate.finish import finish_experiment
from sightline._evaluate.plan import Plan
from sightline._evaluate.reporter import Reporter
from sightline._evaluate.result import EvaluationResult
from sightline._evaluate.run_item import Runner, Turn
from sightline._evaluate.unreported import keep_unreported, read_unreported


class Evaluation:
    """One experiment, from its beginning to what it found."""

    def __init__(self, plan: Plan, is_chosen: Callable[[Turn], bool] = lambda _turn: True) -> None:
        """Runs only the turns that are chosen; where that is not all of them it counts as cancelled."""
        self._plan = plan
        self._is_chosen = is_chosen
        self._api = connect(plan)
        self._teller = Teller()
        self._evaluators = read_evaluators(plan.evaluators)
        self._counts = {"succeeded": 0, "failed": 0, "missing": 0}

    async def run(self) -> EvaluationResult:
        experiment, items = await in_thread(begin_experiment, self._api, self._plan, self._evaluators, self._teller)
        if state.publisher is None and self._plan.task is not None:
            self._teller.say("runs have no traces, which some checks need, unless initialize_redis_publisher() was called before")
        experiment_id, path = experiment["id"], f"/experiments/{experiment['id']}"
        reporter = Reporter(self._api, path, self._teller, self._plan.max_cost, experiment.get("cost") or 0.0)
        try:
            # What an earlier process could not report.
            reporter.waiting, kept = read_unreported(experiment_id)
            await self._flush(reporter)
            for file in kept:
                file.unlink(missing_ok=True)
            turns = await in_thread(list_turns, experiment["repetitions"], items, self._api.pages(f"{path}/runs"))
            chosen = [turn for turn in turns if self._is_chosen(turn)][: self._plan.max_runs]
            await self._run_all(chosen, reporter, experiment_id)
            done = sum(self._counts.values())
            if done < len(turns):
                why = "all that were chosen" if done == len(chosen) else f"max_cost: ${reporter.cost:.2f}"
                self._teller.say(f"ended after {done} of {len(turns)} runs ({why}), which counts as cancelled")
            end = "finished" if done == len(turns) else "cancelled"
            ended = await finish_experiment(self._api, path, end, self._teller, is_traced=self._plan.task is not None)
            result: EvaluationResult = await in_thread(read_result, self._api, self._plan, ended)
            return result
        except asyncio.CancelledError:
            # A second Ctrl-C does not wait for it.
            await reporter.flush()
            if reporter.failure is None:
                with suppress(EvaluationError):
                    await in_thread(self._api.post, f"{path}/finish", {"state": "cancelled"})
            self._teller.say(f"cancelled; what ended is reported.{self._keep(reporter, experiment_id)}")
            raise
        except EvaluationError as error:
            raise EvaluationError(f"{error}{self._keep(reporter, experiment_id)}") from None
        finally:
            self._teller.end_line()
            self._keep(reporter, experiment_id)

    async def _run_all(self, turns: list[Turn], reporter: Reporter, experiment_id: str) -> None:
        plan = self._plan
        runner = Runner(
            plan.task, plan.outputs or {}, self._evaluators, experiment_id, plan.task_name, plan.timeout, self._teller
        )
        queue = iter(turns)
        reporting = asyncio.create_task(reporter.work())
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(min(plan.concurrency, len(turns))):
                    group.create_task(self._work(queue, len(turns), runner, reporter))
        finally:
            reporting.cancel()
        await self._flush(reporter)

    async def _work(self, queue: Iterator[Turn], total: int, runner: Runner, reporter: Reporter) -> None:
        while not reporter.is_over and (turn := next(queue, None)) is not None:
            run = await runner.run(turn)
            reporter.waiting.append(run)
            self._counts[run["state"]] += 1
            notes = "".join(f", {self._counts[name]} {name}" for name in ("failed", "missing") if self._counts[name])
            self._teller.progress(sum(self._counts.values()), total, notes)

    async def _flush(self, reporter: Reporter) -> None:
        await reporter.flush()
        if reporter.failure is not None:
            raise reporter.failure

    def _keep(self, reporter: Reporter, experiment_id: str) -> str:
        """Keeps what is not reported in a file, and says how to go on."""
        waiting, reporter.waiting = reporter.waiting, []
        kept = ""
        if waiting:
            try:
                kept = f" {len(waiting)} runs that were not reported are kept in {keep_unreported(experiment_id, waiting)}."
            except OSError as error:
                kept = f" {len(waiting)} runs that were not reported are lost: {error}."
        return f'{kept} Go on with resume="{experiment_id}".'

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from sightline._client.state import state
from sightline._evaluate.api import Answer, Api
from sightline._evaluate.begin import begin_experiment, list_turns
from sightline._evaluate.calls import in_thread
from sightline._evaluate.console import Teller
from sightline._evaluate.errors import EvaluationError, RefusedError
from sightline._evaluate.evaluators import read_evaluators
from sightline._evaluate.finish import finish_experiment
from sightline._evaluate.plan import Plan
from sightline._evaluate.reporter import Reporter
from sightline._evaluate.result import EvaluationResult, summarize_runs
from sightline._evaluate.run_item import Runner, Turn
from sightline._evaluate.unreported import keep_unreported, read_unreported


class Evaluation:
    """One experiment, from its beginning to what it found."""

    def __init__(self, plan: Plan, console_url: str) -> None:
        self._plan = plan
        self._console_url = console_url
        self._api = Api(plan.api_url, plan.api_key, plan.project_id)
        self._teller = Teller()
        self._evaluators = read_evaluators(plan.evaluators)
        self._counts = {"succeeded": 0, "failed": 0, "missing": 0}

    async def run(self) -> EvaluationResult:
        experiment, items = await in_thread(begin_experiment, self._api, self._plan, self._evaluators, self._teller)
        experiment_id = experiment["id"]
        if state.publisher is None:
            self._teller.say(
                "the SDK is not started, so runs have no traces, and checks of what happens on the way can't be evaluated; "
                "call initialize_redis_publisher() before"
            )
        reporter = Reporter(self._api, experiment_id, self._teller)
        try:
            await self._report_kept(reporter, experiment_id)
            turns = await in_thread(list_turns, self._api, experiment, items)
            await self._run_all(turns[: self._plan.max_runs], reporter, experiment_id)
            is_whole = self._plan.max_runs is None or len(turns) <= self._plan.max_runs
            if not is_whole:
                self._teller.say(f"ended after {self._plan.max_runs} of {len(turns)} runs (max_runs); it counts as cancelled")
            end = "finished" if is_whole else "cancelled"
            ended = await finish_experiment(self._api, experiment_id, end, self._teller)
            result: EvaluationResult = await in_thread(self._result, ended)
            return result
        except asyncio.CancelledError:
            await self._cancel(reporter, experiment_id)
            raise
        except EvaluationError as error:
            raise EvaluationError(f"{error} {self._keep(reporter, experiment_id)}") from None
        finally:
            self._teller.end_line()
            if reporter.waiting:
                self._keep(reporter, experiment_id)

    async def _run_all(self, turns: list[Turn], reporter: Reporter, experiment_id: str) -> None:
        plan = self._plan
        runner = Runner(
            plan.task,
            self._evaluators,
            experiment_id=experiment_id,
            name=plan.task_name,
            timeout=plan.timeout,
            teller=self._teller,
        )
        queue = iter(turns)
        reporting = asyncio.create_task(reporter.work())
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(min(plan.concurrency, len(turns))):
                    group.create_task(self._work(queue, len(turns), runner, reporter))
        finally:
            reporting.cancel()
        await reporter.flush()
        if reporter.failure is not None:
            raise reporter.failure

    async def _work(self, queue: Iterator[Turn], total: int, runner: Runner, reporter: Reporter) -> None:
        while reporter.failure is None:
            turn = next(queue, None)
            if turn is None:
                return
            run = await runner.run(turn)
            reporter.add(run)
            self._counts[run["state"]] += 1
            notes = "".join(f", {self._counts[name]} {name}" for name in ("failed", "missing") if self._counts[name])
            self._teller.progress(sum(self._counts.values()), total, notes)

    async def _report_kept(self, reporter: Reporter, experiment_id: str) -> None:
        """What an earlier process could not report."""
        runs, paths = read_unreported(experiment_id)
        reporter.waiting.extend(runs)
        await reporter.flush()
        if reporter.failure is not None:
            # They are in their file already.
            reporter.waiting.clear()
            raise reporter.failure
        for path in paths:
            path.unlink(missing_ok=True)

    async def _cancel(self, reporter: Reporter, experiment_id: str) -> None:
        """What ended is reported; a second Ctrl-C does not wait for it."""
        self._teller.say("cancelled: what ended is reported")
        await reporter.flush()
        if reporter.failure is None:
            try:
                await in_thread(self._api.post, f"/experiments/{experiment_id}/finish", {"state": "cancelled"}, tries=1)
            except EvaluationError as error:
                self._teller.say(str(error))
        self._teller.say(self._keep(reporter, experiment_id))

    def _keep(self, reporter: Reporter, experiment_id: str) -> str:
        advice = f'Go on with resume="{experiment_id}".'
        waiting, reporter.waiting = reporter.waiting, []
        if not waiting:
            return advice
        try:
            path = keep_unreported(experiment_id, waiting)
        except OSError as error:
            return f"{len(waiting)} runs were not reported and are lost: {error}. {advice}"
        return f"{len(waiting)} runs that were not reported are kept in {path}. {advice}"

    def _result(self, experiment: Answer) -> EvaluationResult:
        path = f"/experiments/{experiment['id']}"
        runs = list(self._api.pages(f"{path}/runs"))
        comparison, note = None, None
        try:
            comparison = self._api.get(f"{path}/comparison", baseline=self._plan.baseline, margin=self._plan.margin)
        except RefusedError as refusal:
            note = f"The platform compared nothing, so these are means alone: {refusal}"
        url = (
            f"{self._console_url.rstrip('/')}/projects/{self._api.project_id}{path}"
            if self._console_url
            else self._api.path(path)
        )
        scores = summarize_runs(runs) if comparison is None else comparison["scores"]
        return EvaluationResult(experiment, url, scores, runs, comparison, note)

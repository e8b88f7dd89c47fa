from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from sightline._capture.score import TraceReference
from sightline._evaluate.api import Answer
from sightline._evaluate.begin import list_items
from sightline._evaluate.calls import in_thread
from sightline._evaluate.connect import connect, read_result
from sightline._evaluate.console import Teller
from sightline._evaluate.errors import EvaluationError
from sightline._evaluate.evaluators import Evaluator, read_evaluators
from sightline._evaluate.plan import ExperimentPlan
from sightline._evaluate.result import EvaluationResult

_MAX_BATCH_RUNS = 100


async def score_experiment(plan: ExperimentPlan) -> EvaluationResult:
    """From the outputs that the experiment kept: nothing is run again. Called once more, it fills the scores that are missing."""
    evaluators, api, teller = read_evaluators(plan.evaluators), connect(plan), Teller()
    if not evaluators:
        raise EvaluationError("evaluate_experiment needs evaluators to score the runs by.")
    path = f"/experiments/{quote(plan.experiment, safe='')}"
    experiment = await in_thread(api.get, path)
    if experiment["state"] != "finished":
        raise EvaluationError(f"The experiment is {experiment['state']}; scores are added to one that is finished.")
    version, dataset = experiment["dataset_version"], experiment["dataset"]
    listed = await in_thread(list_items, api, experiment["dataset_id"], dataset, version, experiment["split"])
    items = {item["id"]: item for item in listed}
    runs = await in_thread(lambda: list(api.pages(f"{path}/runs")))
    work = [(run, items[run["item_id"]]) for run in runs if run["state"] != "missing" and run["item_id"] in items]
    names = ", ".join(each.name for each in evaluators)
    teller.say(f"{len(work)} runs of {dataset}, version {version}, are scored by {names}")
    try:
        size = min(plan.concurrency, _MAX_BATCH_RUNS)
        for start in range(0, len(work), size):
            scored = await asyncio.gather(*(_score(*each, evaluators, plan.timeout) for each in work[start : start + size]))
            body = {"evaluators": [each.describe() for each in evaluators], "runs": scored}
            await in_thread(api.post, f"{path}/scores", body)
            teller.progress(start + len(scored), len(work), "")
    finally:
        teller.end_line()
    result: EvaluationResult = await in_thread(read_result, api, plan, await in_thread(api.get, path))
    return result


async def _score(run: Mapping[str, Any], item: Mapping[str, Any], evaluators: list[Evaluator], within: float) -> Answer:
    # One that failed is scored by the platform.
    missing = [] if run["state"] == "failed" else [each for each in evaluators if not _has_score(run, each)]
    reference = None if run["trace_id"] is None else TraceReference(run["trace_id"], None)
    values = {**item, "output": run["output"], "trace": reference}
    scores = await asyncio.gather(*(each.score(values, within) for each in missing))
    return {**{key: run[key] for key in ("item_id", "repetition", "attempt")}, "scores": scores}


def _has_score(run: Mapping[str, Any], evaluator: Evaluator) -> bool:
    wanted = (evaluator.name, evaluator.version)
    return any((each["name"], each["evaluator_version"]) == wanted and each["value"] is not None for each in run["scores"])

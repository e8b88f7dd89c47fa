from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

from sightline._evaluate.api import Answer, Api
from sightline._evaluate.console import Teller
from sightline._evaluate.errors import EvaluationError
from sightline._evaluate.evaluators import Evaluator
from sightline._evaluate.git import read_checkout
from sightline._evaluate.json_values import to_json
from sightline._evaluate.plan import Plan
from sightline._evaluate.run_item import Turn
from sightline._settings.settings import UUID

_LOOKED_THROUGH = 500
_ESTIMATED_BY = 10


def begin_experiment(api: Api, plan: Plan, evaluators: Sequence[Evaluator], teller: Teller) -> tuple[Answer, list[Any]]:
    """The experiment, new or begun before, and the items that it runs; how much that is, is told before it begins."""
    dataset = find_dataset(api, plan.dataset)
    checkout = read_checkout()
    wanted = {
        "dataset_id": dataset["id"],
        "commit": checkout.commit,
        "evaluators": [each.describe() for each in evaluators],
        "dataset_version": dataset["version"],
        "split": plan.split,
        "name": plan.name or plan.task_name,
        "branch": checkout.branch,
        "is_dirty": checkout.is_dirty,
        "config": to_json(dict(plan.config or {}))[0],
        "repetitions": plan.repetitions,
    }
    begun = _find_begun(api, plan.resume, wanted) if plan.resume else None
    found = begun or wanted
    version, split, repetitions = found["dataset_version"], found["split"], found["repetitions"]
    items = list_items(api, dataset["id"], dataset["name"], version, split)
    unknown = list(set(plan.outputs or ()) - {item["id"] for item in items})
    if unknown:
        which = ", ".join(map(str, unknown[:3]))
        raise EvaluationError(f"The dataset {dataset['name']} has no item {which}; outputs are given by items' ids.")
    code = f"{checkout.branch or 'no branch'} @ {(checkout.commit or 'no commit')[:7]}{' with changes' * checkout.is_dirty}"
    cap = "" if plan.max_runs is None else f", at most {plan.max_runs} now (max_runs)"
    total = len(items) * repetitions
    about = estimate(api.pages("/experiments", dataset_id=dataset["id"]), total)
    teller.say(f"{len(items)} items × {repetitions} = {total} runs{about} of {dataset['name']}, version {version} ({code}){cap}")
    return begun or api.post("/experiments", wanted), items


def list_items(api: Api, dataset_id: str, name: str, version: int, split: str | None) -> list[Any]:
    listed = api.pages(f"/datasets/{dataset_id}/items", version=version, split=split)
    # Of what was a deleted user's nothing is left to run; an older server does not say so.
    items = [item for item in listed if not item.get("redacted", False)]
    if not items:
        raise EvaluationError(f"The dataset {name} has no items{'' if split is None else f' in its split {split}'}.")
    return items


def list_turns(repetitions: int, items: Sequence[Any], runs: Iterable[Any]) -> list[Turn]:
    """What is still to be run: all but what was reported before, unless it was missing."""
    last = {(run["item_id"], run["repetition"]): run["attempt"] if run["state"] == "missing" else None for run in runs}
    return [
        Turn(item, repetition, attempt + 1)
        for repetition in range(repetitions)
        for item in items
        for attempt in (last.get((item["id"], repetition), 0),)
        if attempt is not None
    ]


def find_dataset(api: Api, name: str) -> Answer:
    if UUID.fullmatch(name):
        return api.get(f"/datasets/{name}")
    for dataset in api.pages("/datasets", name=name):
        found: Answer = dataset
        return found
    raise EvaluationError(f"The project has no dataset {name}; give the name of one of its datasets, or an id.")


def estimate(experiments: Iterable[Any], runs: int) -> str:
    """By what a run of the dataset's last experiments cost."""
    for each in islice(experiments, _ESTIMATED_BY):
        known = sum(each["runs"][state] for state in ("succeeded", "failed"))
        if each.get("cost") is not None and known > 0:
            return f", about ${each['cost'] / known * runs:.2f},"
    return ""


def _find_begun(api: Api, resume: str | bool, wanted: Answer) -> Answer:
    candidates = islice(api.pages("/experiments", dataset_id=wanted["dataset_id"]), _LOOKED_THROUGH) if resume is True else ()
    found = next((each for each in candidates if each["state"] != "finished" and each["commit"] == wanted["commit"]), None)
    if resume is True and found is None:
        raise EvaluationError("No experiment of the dataset at this commit is left to go on with; begin one without resume.")
    experiment: Answer = found or api.get(f"/experiments/{resume}")
    for name in ("dataset_id", "commit", "evaluators", "config"):
        if experiment[name] != wanted[name]:
            differs = f"{name} {experiment[name]}, not {wanted[name]}"
            raise EvaluationError(f"The experiment {experiment['id']} is of {differs}; begin one without resume.")
    return experiment

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any

from sightline._evaluate.api import Answer, Api
from sightline._evaluate.console import Teller
from sightline._evaluate.errors import EvaluationError
from sightline._evaluate.evaluators import Evaluator
from sightline._evaluate.git import Checkout, read_checkout
from sightline._evaluate.json_values import to_json
from sightline._evaluate.plan import Plan
from sightline._evaluate.run_item import Turn
from sightline._settings.settings import UUID

_LOOKED_THROUGH = 500


def begin_experiment(api: Api, plan: Plan, evaluators: Sequence[Evaluator], teller: Teller) -> tuple[Answer, list[Any]]:
    """The experiment, new or begun before, and the items that it runs; how much that is, is told before it begins."""
    dataset = _find_dataset(api, plan.dataset)
    checkout = read_checkout()
    described = [each.describe() for each in evaluators]
    begun = _find_begun(api, plan, dataset, checkout, described) if plan.resume else None
    version, split = (begun["dataset_version"], begun["split"]) if begun else (dataset["version"], plan.split)
    items = list(api.pages(f"/datasets/{dataset['id']}/items", version=version, split=split))
    if not items:
        part = "" if split is None else f" in its split {split}"
        raise EvaluationError(f"The dataset {dataset['name']} has no items{part}.")
    repetitions = begun["repetitions"] if begun else plan.repetitions
    total = len(items) * repetitions
    cap = f", at most {plan.max_runs} of them now (max_runs)" if plan.max_runs is not None and plan.max_runs < total else ""
    teller.say(f"{len(items)} items × {repetitions} = {total} runs of {dataset['name']}, version {version} ({checkout}){cap}")
    if begun:
        return begun, items
    return _create(api, plan, dataset, checkout, described), items


def list_turns(api: Api, experiment: Answer, items: Sequence[Any]) -> list[Turn]:
    """What is still to be run: all but what was reported before, unless it was missing."""
    reported = api.pages(f"/experiments/{experiment['id']}/runs")
    attempts = {(run["item_id"], run["repetition"]): run["attempt"] if run["state"] == "missing" else None for run in reported}
    turns = []
    for repetition in range(experiment["repetitions"]):
        for item in items:
            attempt = attempts.get((item["id"], repetition), 0)
            if attempt is not None:
                turns.append(Turn(item, repetition, attempt + 1))
    return turns


def _find_dataset(api: Api, name: str) -> Answer:
    if UUID.fullmatch(name):
        return api.get(f"/datasets/{name}")
    found = api.get("/datasets", name=name)["items"]
    if not found:
        raise EvaluationError(f"The project has no dataset {name}; give the name of one of its datasets, or an id.")
    dataset: Answer = found[0]
    return dataset


def _find_begun(api: Api, plan: Plan, dataset: Answer, checkout: Checkout, evaluators: list[dict[str, Any]]) -> Answer:
    if plan.resume is True:
        candidates = islice(api.pages("/experiments", dataset_id=dataset["id"]), _LOOKED_THROUGH)
        found = next((each for each in candidates if each["state"] != "finished" and each["commit"] == checkout.commit), None)
        if found is None:
            raise EvaluationError(
                f"No experiment of {dataset['name']} at this commit is left to go on with; begin one without resume."
            )
    else:
        found = api.get(f"/experiments/{plan.resume}")
    experiment: Answer = found
    if experiment["dataset_id"] != dataset["id"]:
        raise EvaluationError(f"The experiment {experiment['id']} is of the dataset {experiment['dataset']}.")
    if experiment["commit"] != checkout.commit:
        raise EvaluationError(f"The experiment {experiment['id']} ran another commit, {experiment['commit']}; begin a new one.")
    if experiment["evaluators"] != evaluators:
        raise EvaluationError(f"The experiment {experiment['id']} has other evaluators, or versions of them; begin a new one.")
    return experiment


def _create(api: Api, plan: Plan, dataset: Answer, checkout: Checkout, evaluators: list[dict[str, Any]]) -> Answer:
    # Made once: asked again after an answer that was lost, it would be made twice.
    return api.post(
        "/experiments",
        {
            "dataset_id": dataset["id"],
            "dataset_version": dataset["version"],
            "split": plan.split,
            "name": plan.name or plan.task_name,
            "branch": checkout.branch,
            "commit": checkout.commit,
            "is_dirty": checkout.is_dirty,
            "config": to_json(dict(plan.config or {}))[0],
            "repetitions": plan.repetitions,
            "evaluators": evaluators,
        },
        tries=1,
    )

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sightline._evaluate.begin import find_dataset, list_items
from sightline._evaluate.connect import connect
from sightline._evaluate.plan import Plan


@dataclass(frozen=True, slots=True)
class ItemTest:
    """One item, one repetition, as a test of a test runner."""

    title: str
    item_id: str
    repetition: int
    is_required: bool


def list_item_tests(plan: Plan) -> list[ItemTest]:
    """Raises `EvaluationError` where they can't be read."""
    api = connect(plan)
    dataset = find_dataset(api, plan.dataset)
    items = list_items(api, dataset["id"], dataset["name"], dataset["version"], plan.split)
    return [
        ItemTest(item["id"] if plan.repetitions == 1 else f"{item['id']} #{number + 1}", item["id"], number, item["required"])
        for item in items
        for number in range(plan.repetitions)
    ]


def find_fault(run: Mapping[str, Any] | None, is_required: bool, evaluators: Sequence[Mapping[str, Any]]) -> str | None:
    """Why the run does not pass: for a required item by the rule of the gate. A boolean score decides only where the item has no
    checks."""
    if run is None:
        return "it was not run"
    if run["state"] != "succeeded":
        return str(run["error"] or f"the run {'failed' if run['state'] == 'failed' else 'is missing'}")
    higher = {each["name"] for each in evaluators if each["higher_is_better"]}
    checks = [each for each in run["scores"] if each["source"] == "check"]
    deciding = checks or [each for each in run["scores"] if each["is_boolean"] and each["name"] in higher]
    bad = next((each for each in deciding if each["value"] is None or each["value"] < 1), None)
    if bad is not None:
        reasons = (bad["error"], bad["explanation"], bad["value"])
        return f"{bad['name']}: {next(each for each in reasons if each is not None)}"
    if is_required and not deciding:
        return "nothing judged it: a required item needs checks, or an evaluator that gives true or false"
    return None

"""Evaluations do as those of the SDK for TypeScript do."""

from __future__ import annotations

import asyncio
import json
from types import SimpleNamespace
from typing import Any

import pytest
from recording import EVENTS

from sightline import EvaluationResult
from sightline._evaluate.begin import estimate, list_turns
from sightline._evaluate.evaluators import NoScoreError, read_evaluators, read_score
from sightline._evaluate.item_tests import find_fault
from sightline._evaluate.json_values import short_text, to_json
from sightline._evaluate.run_item import is_unavailable

VECTORS = json.loads((EVENTS / "evaluation-vectors.json").read_text())


@pytest.mark.parametrize("vector", VECTORS["scores"], ids=str)
def test_scores(vector):
    if "refused" in vector:
        with pytest.raises(NoScoreError, match=vector["refused"]):
            read_score(vector["gave"])
        return
    for gave in (vector["gave"], as_object(vector["gave"])):
        found = read_score(gave)
        assert (found, type(found["value"])) == ({key: vector[key] for key in ("value", "explanation")}, type(vector["value"]))


def as_object(gave):
    return SimpleNamespace(**gave) if isinstance(gave, dict) else gave


@pytest.mark.parametrize("vector", VECTORS["evaluators"], ids=str)
def test_evaluators(vector):
    def given(output):
        return 1

    made: Any = given
    made.__version__, made.higher_is_better = vector["version"], vector["higher_is_better"]
    [evaluator] = read_evaluators({vector["name"]: made})
    assert evaluator.describe() == vector["described"]
    assert asyncio.run(evaluator.score({"output": 1}, 1))["name"] == vector["described"]["name"]


def test_values_and_texts():
    assert [short_text(each["given"]) for each in VECTORS["texts"]] == [each["short"] for each in VECTORS["texts"]]
    assert [to_json(each["given"])[0] for each in VECTORS["outputs"]] == [each["json"] for each in VECTORS["outputs"]]


@pytest.mark.parametrize("vector", VECTORS["turns"], ids=lambda vector: vector["name"])
def test_turns(vector):
    turns = list_turns(vector["repetitions"], [{"id": each} for each in vector["items"]], vector["runs"])
    assert [[turn.item["id"], turn.repetition, turn.attempt] for turn in turns] == vector["turns"]


@pytest.mark.parametrize("vector", VECTORS["unavailable"], ids=str)
def test_providers_that_can_not_now(vector):
    given = {key: SimpleNamespace(**each) if isinstance(each, dict) else each for key, each in vector["error"].items()}
    assert is_unavailable(type("ApiError", (Exception,), given)()) is vector["is"]


@pytest.mark.parametrize("vector", VECTORS["faults"], ids=lambda vector: vector["name"])
def test_faults(vector):
    evaluators = [{"name": "exact", "higher_is_better": True}, {"name": "errors", "higher_is_better": False}]
    assert find_fault(vector["run"], vector["required"], evaluators) == vector["fault"]


def test_what_it_is_likely_to_cost():
    assert [estimate(each["experiments"], each["runs"]) for each in VECTORS["estimates"]] == [
        each["told"] for each in VECTORS["estimates"]
    ]


@pytest.mark.parametrize("vector", VECTORS["tables"], ids=lambda vector: vector["name"])
def test_tables(vector):
    result = EvaluationResult(vector["experiment"], "http://c/e-1", [], vector["comparison"])
    assert str(result).splitlines() == vector["lines"]
    assert (result.experiment_id, result.scores) == ("e-1", vector["comparison"]["scores"])
    alone = EvaluationResult(vector["experiment"], "http://c/e-1", [], None, "The platform compared nothing: why.")
    assert str(alone).splitlines()[1:] == ["The platform compared nothing: why.", "http://c/e-1"]

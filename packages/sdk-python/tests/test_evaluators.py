"""What evaluators are given, and what is made of what they give."""

from __future__ import annotations

import asyncio
import json
from decimal import Decimal
from functools import partial
from types import SimpleNamespace

import pytest

from sightline import EvaluationError
from sightline._evaluate.evaluators import NoScoreError, read_evaluators, read_score

VALUES = {"input": "i", "output": "o", "expected": "e", "metadata": {"m": 1}, "trace": None}


def score(function, name=None):
    [evaluator] = read_evaluators({name: function} if name else [function])
    return asyncio.run(evaluator.score(VALUES, 1))


def test_parameters_are_chosen_by_their_names():
    seen = []

    def mine(expected, output, trace=None, threshold=0.5):
        seen.append((expected, output, trace, threshold))
        return 1

    def plural(*, inputs, outputs, reference_outputs=None, **kwargs):
        seen.append((inputs, outputs, reference_outputs, kwargs))
        return 1

    def takes_all(output, expected=None, **kwargs):
        seen.append((output, expected, kwargs))
        return 1

    for function in (mine, plural, takes_all):
        assert score(function)["value"] == 1
    assert seen == [("e", "o", None, 0.5), ("i", "o", "e", {}), ("o", "e", {"input": "i"})]


def test_what_can_not_be_called_is_named_before_anything_runs():
    with pytest.raises(EvaluationError, match="The evaluator lacks takes answer; it may take input, output, expected"):
        read_evaluators([lambda_named("lacks", lambda answer: answer)])
    with pytest.raises(EvaluationError, match="Two evaluators are called twin"):
        read_evaluators([lambda_named("twin", lambda output: 1), lambda_named("twin", lambda output: 2)])
    with pytest.raises(EvaluationError, match="The evaluator len takes obj"):
        read_evaluators([len])
    with pytest.raises(EvaluationError, match="positional"):
        read_evaluators([lambda_named("positional", lambda output, /: 1)])


def lambda_named(name, function):
    function.__name__ = name
    return function


@pytest.mark.parametrize(
    ("given", "value", "explanation"),
    [
        (True, True, None),
        (0.5, 0.5, None),
        (Decimal("0.5"), 0.5, None),
        ({"key": "k", "score": False, "comment": "no"}, False, "no"),
        ({"value": 2}, 2, None),
        (SimpleNamespace(name="n", score=0.25, metadata={"rationale": "so"}), 0.25, "so"),
        (SimpleNamespace(item=lambda: True), True, None),
    ],
)
def test_scores(given, value, explanation):
    found = read_score(given)
    assert (found["value"], type(found["value"]) is bool, found["explanation"]) == (value, type(value) is bool, explanation)


@pytest.mark.parametrize(
    ("given", "what"),
    [
        (None, "NoneType"),
        (float("nan"), "nan"),
        (float("inf"), "inf"),
        ("good", "a text"),
        ({"score": None}, "NoneType"),
    ],
)
def test_what_is_no_score(given, what):
    with pytest.raises(NoScoreError, match=f"it gave {what}; a score is a number, or True or False"):
        read_score(given)


def test_a_failing_evaluator_gives_a_missing_score():
    async def slow(output):
        await asyncio.sleep(5)

    def ends(output):
        raise SystemExit(3)

    async def cancels(output):
        raise asyncio.CancelledError

    assert score(ends)["error"] == "SystemExit: 3"
    assert score(cancels)["error"] == "CancelledError: "
    [evaluator] = read_evaluators([slow])
    assert asyncio.run(evaluator.score(VALUES, 0.05))["error"] == "RunTimeoutError: it took longer than 0.05 s (timeout)"
    assert json.dumps(score(ends))


def test_the_version_is_of_the_code_and_of_what_it_was_made_with():
    def make(threshold):
        def above(output):
            return output > threshold

        return above

    def prefix(output, start):
        return output.startswith(start)

    class Judge:
        def __init__(self, model):
            self.model = model

        def __call__(self, output):
            return 1

    def version(function):
        return read_evaluators([function])[0].version

    assert version(make(1)) == version(make(1)) != version(make(2))
    assert version(partial(prefix, start="a")) == version(partial(prefix, start="a")) != version(partial(prefix, start="b"))
    assert version(Judge("m-1")) == version(Judge("m-1")) != version(Judge("m-2"))
    assert version(Judge("m-1").__call__) == version(Judge("m-1").__call__) != version(Judge("m-2").__call__)
    own = make(1)
    own.__version__ = 7
    assert version(own) == "7"
    [described] = read_evaluators({"mine": Judge("m-1")})
    assert described.describe() == {"name": "mine", "version": described.version, "higher_is_better": True}

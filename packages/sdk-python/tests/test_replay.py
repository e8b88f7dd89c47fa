"""Replays by the vectors that both SDKs share; with agents and the platform they are tried by `trace/python-replay.test.ts`."""

from __future__ import annotations

import json

import pytest
from recording import EVENTS

import sightline
from sightline import EvaluationError, RecordedError, ReplayStoppedError
from sightline._replay.comparable import comparable, first_difference
from sightline._replay.errors import recorded_error
from sightline._replay.session import Session

VECTORS = json.loads((EVENTS / "replay-vectors.json").read_text())


def named(vectors):
    return [pytest.param(vector, id=vector["name"]) for vector in vectors]


def steps_of(vector):
    return [{**VECTORS["step"], **step} for step in vector.get("steps", [])]


@pytest.mark.parametrize("vector", named(VECTORS["comparable"]))
def test_compares(vector):
    assert comparable(vector["value"]) == vector["compared"]


@pytest.mark.parametrize("vector", VECTORS["differences"])
def test_finds_the_first_difference(vector):
    assert first_difference(vector["recorded"], vector["given"]) == vector["at"]


@pytest.mark.parametrize("vector", named(VECTORS["sessions"]))
def test_a_replay_with(vector):
    session = Session(vector["calls"], "live")
    answers = []
    for started in ({**VECTORS["step"], **each} for each in vector["started"]):
        session.note(started)
        if started["kind"] == "tool" and started.get("asked", True):
            answer = session.answer(started["observation_id"], "")
            answers.append(None if answer is None else answer.value())
    session.finish()
    assert answers == vector["answers"]
    assert session.divergence == vector["divergence"]
    assert session.live == vector.get("live", [])


def test_a_replay_that_stops_answers_nothing_more():
    session = Session(VECTORS["sessions"][1]["calls"])
    marks = []
    for started in ({**VECTORS["step"], **each} for each in VECTORS["sessions"][1]["started"]):
        session.note(started)
        marks.append(started["attributes"])
        with pytest.raises(ReplayStoppedError, match="differs from the recorded one at /q"):
            session.answer(started["observation_id"], "")
    session.finish()
    assert (session.is_stopped, session.live) == (True, [])
    assert marks == [{"replay_divergence": session.divergence}, None]


@pytest.mark.parametrize("vector", VECTORS["errors"])
def test_an_error_reads_as_it_was_recorded(vector):
    error = recorded_error(vector["text"], ())
    assert (type(error).__name__, str(error)) == (vector["name"], vector["message"])
    assert isinstance(error, RecordedError) == vector["is_recorded"]


def test_an_error_has_the_class_that_is_given():
    class OrderError(Exception):
        def __init__(self, order, reason):
            super().__init__(f"{order}: {reason}")

    error = recorded_error("OrderError: 7: gone", (OrderError,))
    assert (type(error), str(error)) == (OrderError, "7: gone")
    assert repr(recorded_error("KeyError: 'x'", ())) == "KeyError('x')"


def test_says_what_it_needs(monkeypatch):
    with pytest.raises(EvaluationError, match="call initialize_redis_publisher"):
        sightline.replay("019b", print)

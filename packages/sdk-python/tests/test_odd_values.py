"""What becomes of values that a field does not take as they are; the vectors are those of the SDKs of all languages."""

from __future__ import annotations

import json
import logging
import re
from typing import Any

import pytest
from recording import EVENTS
from stream import Stream

from sightline import observe, score, trace, trace_tool
from sightline._capture.loose_values import as_count

VECTORS = json.loads((EVENTS / "odd-values-vectors.json").read_text())
TYPES = {"trace": "trace.start", "observe": "observation.start", "tool": "observation.start", "score": "score"}


def named(vectors):
    return [pytest.param(vector, id=vector["name"]) for vector in vectors]


class Listening:
    """A stream whose publisher's warnings are heard."""

    def __init__(self, stream: Stream) -> None:
        self.stream = stream
        self.said: list[str] = []
        logger = logging.Logger("listening")
        logger.addHandler(logging.NullHandler())
        logger.addFilter(lambda record: self.said.append(record.getMessage()) is None)
        assert stream.initialize(logger=logger).ok

    def last_of(self, kind: str) -> dict[str, Any]:
        bodies = self.stream.read().of_type(kind)
        return bodies[-1] if bodies else {}

    @property
    def fields(self) -> list[str]:
        found = [re.search(r": (\w+) ", text) for text in self.said]
        return sorted({match[1] if match else "?" for match in found})


@pytest.fixture
def listening(idle_stream: Stream) -> Listening:
    return Listening(idle_stream)


def call(operation: str, options: dict[str, Any]) -> None:
    match operation:
        case "trace":
            with trace(**options):
                pass
        case "observe":
            with observe(**options):
                pass
        case "tool":
            with trace_tool(**options):
                pass
        case "score":
            with trace("around"):
                score(**options)


@pytest.mark.parametrize("vector", named(VECTORS["texts"]))
def test_a_field_that_takes_a_text(listening: Listening, vector):
    with trace("t", user_id=vector["value"]):
        pass
    assert listening.last_of("trace.start").get("user_id") == vector["kept"]
    assert listening.fields == (["user_id"] if vector["kept"] is None and vector["value"] is not None else [])


@pytest.mark.parametrize("vector", named(VECTORS["numbers"]))
def test_the_value_of_a_score(listening: Listening, vector):
    with trace("around"):
        assert score("helpfulness", vector["value"]) is (vector["kept"] is not None)
    assert listening.last_of("score").get("value") == vector["kept"]
    assert listening.fields == (["value"] if vector["kept"] is None else [])


@pytest.mark.parametrize("vector", named(VECTORS["counts"]))
def test_a_number_of_tokens(vector):
    count = as_count(vector["value"])
    assert count == vector["kept"]
    assert type(count) is type(vector["kept"])


@pytest.mark.parametrize("vector", named(VECTORS["calls"]))
def test_a_call_with(listening: Listening, vector):
    call(vector["operation"], vector["options"])
    body = listening.last_of(TYPES[vector["operation"]])
    if vector["event"] is None:
        assert body == {}
    else:
        assert {field: body.get(field) for field in vector["event"]} == vector["event"]
    assert listening.fields == sorted(vector["left_out"])

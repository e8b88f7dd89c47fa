"""What becomes of values that a field does not take as they are; the vectors are those of the SDKs of all languages."""

from __future__ import annotations

import datetime
import decimal
import enum
import fractions
import itertools
import json
import logging
import re
import time
import uuid
from typing import Any

import pytest
from langgraph.graph import START, MessagesState
from recording import EVENTS, PROJECT_ID
from stream import Stream

from sightline import create_traced_graph, metrics_text, observe, score, trace, trace_tool
from sightline._capture.loose_values import as_count
from sightline._settings.settings import Options, Settings, Unusable, read_settings

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


class Colour(enum.Enum):
    RED = "red"


class Level(enum.IntEnum):
    HIGH = 3


class ObjectId:
    """As the drivers of databases have them."""

    def __str__(self) -> str:
        return "65f0c0ffee"


class Scalar:
    """A number of an array, as numpy and torch have them."""

    shape = ()

    def __init__(self, value: Any) -> None:
        self._value = value

    def item(self) -> Any:
        return self._value


class Customer:
    id = 9

    def __str__(self) -> str:
        raise ValueError("s3cret")

    __bool__ = __len__ = __iter__ = __hash__ = __str__


class SubText(str):
    def __str__(self) -> str:
        raise ValueError("s3cret")


def of_kind(value: object) -> str:
    return value if type(value) is str else type(value).__name__


CYCLIC: list[Any] = []
CYCLIC.append(CYCLIC)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (uuid.UUID("0192f7a0-0000-7000-8000-00000000000a"), "0192f7a0-0000-7000-8000-00000000000a"),
        (decimal.Decimal("0.10"), "0.10"),
        (fractions.Fraction(1, 3), "1/3"),
        (12345678901234567890, "12345678901234567890"),
        (1.0, "1.0"),
        (Colour.RED, "red"),
        (Level.HIGH, "3"),
        (datetime.datetime(2026, 11, 21, 10, 0, 1, tzinfo=datetime.UTC), "2026-11-21T10:00:01+00:00"),
        (datetime.date(2026, 11, 21), "2026-11-21"),
        (b"u-9", "u-9"),
        (SubText("u-9"), "u-9"),
        (ObjectId(), "65f0c0ffee"),
        (Scalar(7), "7"),
        (Scalar(True), "true"),
    ],
    ids=of_kind,
)
def test_what_only_this_language_has_becomes_its_text(listening: Listening, value, text):
    with trace("t", user_id=value, tags=value):
        pass
    start = listening.last_of("trace.start")
    assert (start["user_id"], start["tags"]) == (text, [text])
    assert type(start["user_id"]) is str
    assert listening.said == []


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (float("nan"), "nan"),
        (float("inf"), "inf"),
        (decimal.Decimal("sNaN"), "Decimal"),
        (1 << 1_000_000, "int"),
        (b"\xff\xfe", "bytes"),
        (bytes(100_000_000), "bytes"),
        (object(), "object"),
        (Customer(), "Customer"),
        (len, "builtin_function_or_method"),
        (Customer, "type"),
        (CYCLIC, "list"),
        (Scalar([1]), "Scalar"),
        ({"a"}, "set"),
        (frozenset(), "frozenset"),
    ],
    ids=of_kind,
)
def test_what_holds_no_text_is_left_out_and_named(listening: Listening, value, kind):
    started_at = time.process_time()
    with trace("t", user_id=value, tags=[value, "b"], version="2", metadata=value, attributes=value):
        pass
    assert time.process_time() - started_at < 0.3
    start = listening.last_of("trace.start")
    assert (start["tags"], start["version"]) == (["b"], "2")
    assert "user_id" not in start
    assert start["attributes"]["metadata"] is not None
    said = f'trace "t": user_id is left out: it takes a text, a number, a date or an identifier, and was given {kind}'
    assert listening.said[0] == f"[sightline] {said}"
    assert "s3cret" not in "".join(listening.said)


@pytest.mark.parametrize(
    ("tags", "kept"),
    [
        (("a", 1), ["a", "1"]),
        ({"a"}, ["a"]),
        (frozenset({"a"}), ["a"]),
        ({"a": 1}.keys(), ["a"]),
        ((tag for tag in ("a", "b")), ["a", "b"]),
        ([Colour.RED, None], ["red"]),
    ],
    ids=of_kind,
)
def test_tags_may_be(listening: Listening, tags, kept):
    with trace("t", tags=tags):
        pass
    assert listening.last_of("trace.start")["tags"] == kept
    assert listening.said == []


def test_tags_of_a_decorated_function_are_those_of_every_call(listening: Listening):
    @trace("t", tags=(tag for tag in "ab"))
    def work() -> None:
        pass

    work()
    work()
    assert [start["tags"] for start in listening.stream.read().traces] == [["a", "b"], ["a", "b"]]


def test_tags_without_an_end_are_cut_and_named(listening: Listening):
    with trace("t", tags=itertools.count()):
        pass
    assert len(listening.last_of("trace.start")["tags"]) == 50
    assert listening.fields == ["tags"]


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        (decimal.Decimal("0.9"), 0.9),
        (fractions.Fraction(1, 4), 0.25),
        (Scalar(0.5), 0.5),
        (Level.HIGH, 3),
        (Scalar(True), None),
        (float("nan"), None),
        (1 << 100_000, None),
        (datetime.date(2026, 11, 21), None),
    ],
    ids=of_kind,
)
def test_the_value_of_a_score_may_be(listening: Listening, value, kept):
    with trace("around"):
        assert score("helpfulness", value) is (kept is not None)
    assert listening.last_of("score").get("value") == kept
    assert listening.fields == (["value"] if kept is None else [])


def test_a_score_of_a_trace_by_its_uuid(listening: Listening):
    known = "0192f7a0-0000-7000-8000-00000000000a"
    assert score("helpfulness", 1, trace_id=uuid.UUID(known), observation_id=uuid.UUID(known))
    body = listening.last_of("score")
    assert (body["trace_id"], body["observation_id"]) == (known, known)


def test_a_score_outside_of_any_trace_is_not_recorded_which_is_told(listening: Listening):
    assert score("helpfulness", 1) is False
    assert listening.fields == ["trace_id"]


def test_what_is_left_out_is_said_once_with_no_secret_and_no_end(listening: Listening):
    secret = "password=hunter2-Zq8"
    for _ in range(1000):
        with trace(secret, user_id={secret: secret}):
            pass
    assert len(listening.said) == 1
    assert "hunter2" not in listening.said[0]
    for number in range(1000):
        with trace("t", user_id=type(f"Class{number}", (), {})()):
            pass
    assert len(listening.said) < 300


def test_the_counters_of_what_was_dropped_stay_as_they_were(listening: Listening):
    with trace({}, user_id=[], tags=[{}]):
        score("x", "much")
    assert "studio_events_dropped_total{" not in metrics_text()


@pytest.mark.parametrize(("given", "name"), [(7, "7"), (Colour.RED, "red"), ({}, "LangGraph"), (None, "LangGraph")], ids=of_kind)
def test_a_graph_has_the_texts_of_its_name_and_identifiers(listening: Listening, given, name):
    graph = create_traced_graph(MessagesState, trace_name=given)
    graph.add_node("answer", lambda state: {"messages": [("ai", "hello")]})
    graph.add_edge(START, "answer")
    config = {"configurable": {"thread_id": 42}, "metadata": {"user_id": 7.5, "session_id": {"odd": True}}}
    graph.compile().invoke({"messages": []}, config)
    start = listening.last_of("trace.start")
    assert (start["name"], start["thread_id"], start["user_id"]) == (name, "42", "7.5")
    assert "session_id" in listening.fields


def test_settings_may_be_texts_as_from_a_file_or_a_variable():
    assert read_settings(Options(enabled="false"), {}) == Unusable("switched off", switched_off=True)
    found = read_settings(
        Options(
            redis_url=b"redis://h:1",
            project_id=uuid.UUID(PROJECT_ID),
            stream_name=7,
            capture_reasoning="no",
            max_stream_length="100",
        ),
        {},
    )
    assert isinstance(found, Settings)
    assert (found.redis_url, found.project_id, found.stream_name) == ("redis://h:1", PROJECT_ID, "7")
    assert (found.capture_reasoning, found.max_stream_length) == (False, 100)


def test_settings_that_cannot_be_read_are_named():
    wrong = Options(enabled="perhaps", project_id=[], stream_name={}, max_buffer_events="many")
    found = read_settings(wrong, {})
    assert isinstance(found, Unusable)
    for name in ("enabled", "project_id", "stream_name", "max_buffer_events"):
        assert name in found.reason

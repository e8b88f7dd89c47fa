from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, Literal, TypeVar

from sightline._capture.code_reference import CodeReference
from sightline._capture.first_trace import tell_first_trace
from sightline._capture.interruptions import let_through
from sightline._capture.payload_copies import PayloadCopies
from sightline._client.state import state
from sightline._event.identifier import create_identifier
from sightline._event.timestamp import timestamp

EndStatus = Literal["success", "failure", "interrupted"]
ObservationKind = Literal["graph", "node", "tool", "llm", "retriever", "span"]
Attributes = Mapping[str, Any]
T = TypeVar("T")

_MAX_SCORE_NAME_LENGTH = 200
_MAX_COMMENT_LENGTH = 3900
"""The schema's 4000 less what a cut text says about its length."""


@dataclass(slots=True)
class OpenTrace:
    trace_id: str


@dataclass(slots=True)
class OpenObservation:
    trace_id: str
    observation_id: str
    started_at: float
    """Seconds of the performance counter."""
    time_to_first_token: float | None = None
    """Milliseconds."""


@dataclass(slots=True)
class Outcome:
    """How a trace or an observation ended."""

    status: EndStatus
    output: Any = None
    error: Any = None
    attributes: Attributes = field(default_factory=dict)
    model: str | None = None
    usage: Mapping[str, Any] | None = None
    reasoning: str | None = None
    tool: Mapping[str, Any] | None = None
    next: list[dict[str, Any]] | None = None
    paused_at: str | None = None
    ended_at: str | None = None
    duration_ms: float | None = None


_MAX_TAGS = 50


def start_trace(
    name: str,
    *,
    thread_id: str | None = None,
    session_id: str | None = None,
    user_id: str | None = None,
    environment: str | None = None,
    release: str | None = None,
    version: str | None = None,
    tags: Sequence[str] | None = None,
    metadata: Mapping[str, Any] | None = None,
    input: Any = None,  # noqa: A002 -- The schema's word.
    attributes: Attributes | None = None,
) -> OpenTrace | None:
    """None when nothing is recorded; the caller's own work goes on either way."""

    def work(copies: PayloadCopies, publish: Publish, now: str) -> OpenTrace:
        trace_id = create_identifier()
        body = {
            "trace_id": trace_id,
            "name": copies.name(name),
            "started_at": now,
            "thread_id": copies.optional_name(thread_id),
            "session_id": copies.optional_name(session_id),
            "user_id": copies.optional_name(user_id),
            "environment": copies.optional_name(environment or os.environ.get("OBS_ENVIRONMENT") or None),
            "release": copies.optional_name(release or os.environ.get("OBS_RELEASE") or None),
            "version": copies.optional_name(version),
            "tags": [copies.name(tag) for tag in tags[:_MAX_TAGS]] if tags else None,
            "input": copies.payload(input, "input"),
            "attributes": copies.attributes(
                attributes if metadata is None else {**(attributes or {}), "metadata": dict(metadata)}
            ),
        }
        publish("trace.start", body)
        return OpenTrace(trace_id)

    opened = _record(work)
    if opened is not None:
        tell_first_trace(opened.trace_id)
    return opened


def end_trace(trace: OpenTrace, outcome: Outcome) -> None:
    def work(copies: PayloadCopies, publish: Publish, now: str) -> None:
        body = {
            "trace_id": trace.trace_id,
            "ended_at": now,
            "status": outcome.status,
            "output": copies.payload(outcome.output, "output"),
            "error": copies.error_text(outcome.error),
            "paused_at": outcome.paused_at,
            "attributes": copies.attributes(outcome.attributes),
        }
        publish("trace.end", body)

    _record(work)


def record_resume(trace_id: str, checkpoint_id: str) -> None:
    def work(_copies: PayloadCopies, publish: Publish, now: str) -> None:
        publish("trace.resume", {"trace_id": trace_id, "resumed_at": now, "resumed_from": checkpoint_id})

    _record(work)


def start_observation(
    trace_id: str,
    parent_id: str | None,
    kind: ObservationKind,
    name: str,
    *,
    model: str | None = None,
    code: CodeReference | None = None,
    graph_step: Mapping[str, Any] | None = None,
    input: Any = None,  # noqa: A002 -- The schema's word.
    attributes: Attributes | None = None,
    started_at: str | None = None,
) -> OpenObservation | None:
    def work(copies: PayloadCopies, publish: Publish, now: str) -> OpenObservation:
        observation_id = create_identifier()
        body = {
            "trace_id": trace_id,
            "observation_id": observation_id,
            "parent_id": parent_id,
            "kind": kind,
            "name": copies.name(name),
            "started_at": started_at or now,
            "model": copies.optional_name(model),
            "code": code,
            "graph_step": graph_step,
            "input": copies.payload(input, "input"),
            "attributes": copies.attributes(attributes),
        }
        publish("observation.start", body)
        return OpenObservation(trace_id, observation_id, perf_counter())

    return _record(work)


def end_observation(observation: OpenObservation, outcome: Outcome) -> None:
    measured = (perf_counter() - observation.started_at) * 1000
    duration = measured if outcome.duration_ms is None else outcome.duration_ms
    first_token = observation.time_to_first_token

    def work(copies: PayloadCopies, publish: Publish, now: str) -> None:
        body = {
            "trace_id": observation.trace_id,
            "observation_id": observation.observation_id,
            "ended_at": outcome.ended_at or now,
            "duration_ms": max(0, round(duration, 3)),
            "status": outcome.status,
            "output": copies.payload(outcome.output, "output"),
            "error": copies.error_text(outcome.error),
            "model": copies.optional_name(outcome.model),
            "usage": copies.usage(outcome.usage),
            "time_to_first_token_ms": None if first_token is None else max(0, round(first_token)),
            "reasoning": copies.reasoning(outcome.reasoning),
            "tool_entry": copies.tool_entry(outcome.tool),
            "next": outcome.next,
            "attributes": copies.attributes(outcome.attributes),
        }
        publish("observation.end", body)

    _record(work)


def note_first_token(observation: OpenObservation) -> None:
    """The streamed answer of a model call has content now; only the first time counts."""
    if observation.time_to_first_token is None:
        observation.time_to_first_token = (perf_counter() - observation.started_at) * 1000


def update_observation(observation: OpenObservation, attributes: Attributes) -> None:
    def work(copies: PayloadCopies, publish: Publish, _now: str) -> None:
        bounded = copies.attributes(attributes)
        if bounded is not None:
            identity = {"trace_id": observation.trace_id, "observation_id": observation.observation_id}
            publish("observation.update", {**identity, "attributes": bounded})

    _record(work)


def record_graph(graph_hash: str, name: str, nodes: list[str], edges: list[dict[str, Any]]) -> None:
    def work(copies: PayloadCopies, publish: Publish, _now: str) -> None:
        named = [copies.name(node) for node in nodes]
        publish("graph", {"graph_hash": graph_hash, "name": copies.name(name), "nodes": named, "edges": edges})

    _record(work)


def record_graph_entry(entry: Mapping[str, Any]) -> None:
    """A graph took its input in: where its beginning leads."""
    _record(lambda _copies, publish, _now: publish("graph.enter", entry))


def record_score(trace_id: str, observation_id: str | None, name: str, value: float, comment: str | None) -> bool:
    def work(copies: PayloadCopies, publish: Publish, _now: str) -> bool:
        body = {
            "trace_id": trace_id,
            "observation_id": observation_id,
            "name": copies.name(name, _MAX_SCORE_NAME_LENGTH),
            "value": value,
            "comment": None if comment is None else copies.text(comment, _MAX_COMMENT_LENGTH, "comment"),
        }
        publish("score", body)
        return True

    return _record(work) or False


Publish = Callable[[str, Mapping[str, Any]], None]


def _record(work: Callable[[PayloadCopies, Publish, str], T]) -> T | None:
    """The one place where recording meets the application: measures itself, and nothing that goes wrong in it comes out."""
    publisher = state.publisher
    if publisher is None:
        return None
    started_at = perf_counter()
    try:
        copies = PayloadCopies(publisher.settings)
        now = timestamp()
        return work(copies, lambda kind, body: publisher.enqueue(kind, body, copies.size, now), now)
    except BaseException as error:
        let_through(error)
        state.metrics.count_dropped("unserializable", 1)
        publisher.warn("unserializable", "a call was not recorded, as what describes it can't be read; is its name a text?")
        return None
    finally:
        state.metrics.publish_seconds.observe(perf_counter() - started_at)

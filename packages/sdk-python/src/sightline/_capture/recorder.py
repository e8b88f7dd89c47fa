from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, Literal, TypeVar

from sightline._capture.code_reference import CodeReference
from sightline._capture.first_trace import tell_first_trace
from sightline._capture.given_fields import tell_left_out
from sightline._capture.interruptions import let_through
from sightline._capture.loose_values import quietly
from sightline._capture.payload_copies import PayloadCopies
from sightline._client.state import current_replay, state
from sightline._client.used_prompt import used_prompt
from sightline._event.identifier import create_identifier
from sightline._event.timestamp import timestamp
from sightline._settings.text_of import TEXTS, kind_of, number_of, text_of

EndStatus = Literal["success", "failure", "interrupted"]
ObservationKind = Literal["graph", "node", "tool", "llm", "retriever", "span"]
TracePurpose = Literal["live", "experiment", "replay", "playground", "judge"]
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
    around: str
    """Its parent's id, or its trace's."""
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


def start_trace(
    name: Any,
    *,
    thread_id: Any = None,
    session_id: Any = None,
    user_id: Any = None,
    environment: Any = None,
    release: Any = None,
    version: Any = None,
    tags: Any = None,
    purpose: Any = None,
    metadata: Any = None,
    input: Any = None,  # noqa: A002 -- The schema's word.
    attributes: Any = None,
) -> OpenTrace | None:
    """What the application gave and can't be kept is left out. None when nothing is recorded; the caller's own work goes on
    either way."""

    def work(copies: PayloadCopies, publish: Publish, now: str) -> OpenTrace:
        trace_id = create_identifier()
        body = {
            "trace_id": trace_id,
            "name": copies.name(name, "trace"),
            "started_at": now,
            "thread_id": copies.label("thread_id", thread_id),
            "session_id": copies.label("session_id", session_id),
            "user_id": copies.label("user_id", user_id),
            "environment": copies.label("environment", environment)
            or copies.label("environment", os.environ.get("OBS_ENVIRONMENT") or None),
            "release": copies.label("release", release) or copies.label("release", os.environ.get("OBS_RELEASE") or None),
            "version": copies.label("version", version),
            "tags": copies.tags(tags),
            # A trace within a replay is of that replay.
            "purpose": copies.purpose(purpose if current_replay.get() is None else "replay"),
            "input": copies.payload(input, "input"),
            "attributes": copies.attributes(attributes, metadata),
        }
        publish("trace.start", body)
        return OpenTrace(trace_id)

    opened = _record("trace", work)
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
            "stack": copies.stack(outcome.error, trace.trace_id, None) if outcome.status == "failure" else None,
            "paused_at": outcome.paused_at,
            "attributes": copies.attributes(outcome.attributes),
        }
        publish("trace.end", body)

    _record("trace", work)


def record_resume(trace_id: str, checkpoint_id: str) -> None:
    def work(_copies: PayloadCopies, publish: Publish, now: str) -> None:
        publish("trace.resume", {"trace_id": trace_id, "resumed_at": now, "resumed_from": checkpoint_id})

    _record("trace", work)


def start_observation(
    trace_id: str,
    parent_id: str | None,
    kind: Any,
    name: Any,
    *,
    model: Any = None,
    messages: Any = None,
    code: CodeReference | None = None,
    graph_step: Mapping[str, Any] | None = None,
    input: Any = None,  # noqa: A002 -- The schema's word.
    attributes: Any = None,
    started_at: str | None = None,
) -> OpenObservation | None:
    """`messages` are those of a model call, also where they are not recorded: by them its prompt is known."""

    def work(copies: PayloadCopies, publish: Publish, now: str) -> OpenObservation:
        observation_id = create_identifier()
        body = {
            "trace_id": trace_id,
            "observation_id": observation_id,
            "parent_id": parent_id,
            "kind": (of_kind := copies.kind(kind)),
            "name": copies.name(name, "observation"),
            "started_at": started_at or now,
            "model": copies.label("model", model),
            "prompt": quietly(lambda: used_prompt(messages)) if of_kind == "llm" else None,
            "code": code,
            "graph_step": graph_step,
            "input": copies.payload(input, "input"),
            "attributes": copies.attributes(attributes),
        }
        replay = current_replay.get()
        if replay is not None:
            replay.note(body)
        publish("observation.start", body)
        return OpenObservation(trace_id, observation_id, parent_id or trace_id, perf_counter())

    return _record("observation", work)


def end_observation(observation: OpenObservation, outcome: Outcome) -> None:
    step, around = observation.observation_id, observation.around
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
            "stack": copies.stack(outcome.error, step, around) if outcome.status == "failure" else None,
            "model": copies.label("model", outcome.model),
            "usage": copies.usage(outcome.usage),
            "time_to_first_token_ms": None if first_token is None else max(0, round(first_token)),
            "reasoning": copies.reasoning(outcome.reasoning),
            "tool_entry": copies.tool_entry(outcome.tool),
            "next": outcome.next,
            "attributes": copies.attributes(outcome.attributes),
        }
        publish("observation.end", body)

    _record("observation", work)


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

    _record("observation", work)


def record_graph(graph_hash: str, name: str, nodes: list[str], edges: list[dict[str, Any]]) -> None:
    def work(copies: PayloadCopies, publish: Publish, _now: str) -> None:
        named = [copies.name(node, "node") for node in nodes]
        publish("graph", {"graph_hash": graph_hash, "name": copies.name(name, "graph"), "nodes": named, "edges": edges})

    _record("graph", work)


def record_graph_entry(entry: Mapping[str, Any]) -> None:
    """A graph took its input in: where its beginning leads."""
    _record("graph", lambda _copies, publish, _now: publish("graph.enter", entry))


def record_score(trace_id: Any, observation_id: Any, name: Any, value: Any, comment: Any) -> bool:
    """False where it was not recorded, as it needs what it has not."""

    def work(copies: PayloadCopies, publish: Publish, _now: str) -> bool:
        copies.title = title = text_of(name) or ""
        is_boolean = type(value).__name__ in ("bool", "bool_")  # Of arrays, too.
        number, trace = (int(value) if is_boolean else number_of(value)), _identifier(trace_id)
        step = None if observation_id is None else _identifier(observation_id)
        if not title:
            copies.lack("name", name, TEXTS)
        if number is None:
            copies.lack("value", value, "a finite number, or True or False")
        if trace is None:
            copies.lack("trace_id", trace_id, "the UUID of a trace, by default the running one")
        if step is None and observation_id is not None:
            copies.lack("observation_id", observation_id, "the UUID of an observation")
        if copies.left_out is not None:
            return False
        note = None if comment is None else copies.label("comment", comment, _MAX_COMMENT_LENGTH)
        body = {
            "trace_id": trace,
            "observation_id": step,
            "name": title[:_MAX_SCORE_NAME_LENGTH],
            "value": number,
            "data_type": "boolean" if is_boolean else None,
            "comment": None if note is None else copies.text(note, _MAX_COMMENT_LENGTH, "comment"),
        }
        publish("score", body)
        return True

    return _record("score", work) or False


_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", re.IGNORECASE)
"""As the event schema has identifiers."""


def _identifier(value: Any) -> str | None:
    text = text_of(value)
    return text if text is not None and _UUID.fullmatch(text) else None


Operation = Literal["trace", "observation", "graph", "score"]
Publish = Callable[[str, Mapping[str, Any]], None]


def _record(operation: Operation, work: Callable[[PayloadCopies, Publish, str], T]) -> T | None:
    """The one place where recording meets the application: measures itself, and nothing that goes wrong in it comes out."""
    publisher = state.publisher
    if publisher is None:
        return None
    started_at = perf_counter()
    try:
        copies = PayloadCopies(publisher.settings)
        now = timestamp()
        recorded = work(copies, lambda kind, body: publisher.enqueue(kind, body, copies.size, now), now)
        if copies.left_out is not None:
            tell_left_out(operation, copies)
        return recorded
    except BaseException as error:
        let_through(error)
        state.metrics.count_dropped("unserializable", 1)
        failure = f"the event of a call ({operation}) was not recorded, as making it failed: {kind_of(error)}"
        publisher.warn("unserializable", failure)
        return None
    finally:
        state.metrics.publish_seconds.observe(perf_counter() - started_at)

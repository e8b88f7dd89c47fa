from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal
from uuid import UUID

from sightline._capture.code_reference import CodeReference, definition_site
from sightline._capture.loose_values import quietly
from sightline._capture.recorder import (
    ObservationKind,
    OpenTrace,
    record_graph,
    record_graph_entry,
    start_observation,
    start_trace,
)
from sightline._client.state import own_span, state
from sightline._event.timestamp import timestamp
from sightline._langgraph.graph_moves import command_moves, declared_moves, moves_after, read_step
from sightline._langgraph.graph_structure import START, GraphStructure, structure_of
from sightline._langgraph.run_records import Role, RunRecord, find_run, remember_run

HIDDEN_TAG = "langsmith:hidden"
_OWN_METADATA = re.compile(r"langgraph_|ls_|checkpoint_|__")
_MAX_ANNOUNCED = 1000
_KINDS: Mapping[Role, ObservationKind] = {
    "graph": "graph",
    "node": "node",
    "tool": "tool",
    "model": "llm",
    "retriever": "retriever",
    "span": "span",
}


@dataclass(slots=True)
class TracedGraph:
    """What a handler was made for."""

    trace_name: str
    structure: GraphStructure | None = None
    any_root: bool = False
    """Whether every outermost run becomes a trace, not only that of a graph."""


@dataclass(slots=True)
class RunStart:
    run_id: UUID
    parent_run_id: UUID | None
    kind: Literal["chain", "tool", "model", "retriever"]
    name: str
    tags: Sequence[str]
    metadata: Mapping[str, Any]
    input: Any
    messages: Any = None
    """Of a model call, also where its input is not recorded."""
    graph: Any = None
    """The graph that is starting."""
    model: str | None = None
    attributes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class _Place:
    """Where a run belongs: under another run, under a span of the application, or at the top."""

    parent: RunRecord | None = None
    parent_id: str | None = None
    trace_id: str | None = None


def open_run(start: RunStart, own: TracedGraph) -> RunRecord | None:
    """Records the start of a run that is new; None when it belongs to nothing that is traced."""
    place = _find_place(start)
    if place.trace_id is not None:
        return _open_inside(start, place)
    if start.graph is not None or (own.any_root and start.kind == "chain"):
        return _open_trace(start, own)
    if not own.any_root:
        return None
    # A model or a tool that nothing runs around: its trace holds just this call.
    trace = _start_trace_of(start, own, None, None)
    return None if trace is None else _open_inside(start, _Place(trace_id=trace.trace_id), trace)


def note_own_graph(record: RunRecord, own: TracedGraph) -> None:
    """The run is the graph that a handler was made for: it is declared, once per producer."""
    publisher = state.publisher
    if own.structure is None or publisher is None:
        return
    drawing = own.structure.drawing
    record.graph_hash = drawing.hash
    key = f"{own.trace_name}\n{record.graph_hash}"
    if key not in publisher.announced_graphs:
        if len(publisher.announced_graphs) >= _MAX_ANNOUNCED:
            publisher.announced_graphs.clear()
        publisher.announced_graphs.add(key)
        record_graph(record.graph_hash, own.trace_name, drawing.nodes, drawing.edges)


def enter_graph(graph: RunRecord, step: int | None) -> None:
    """Says where the beginning of a graph leads, when that is known without a router; once."""
    structure = graph.structure
    if graph.is_entered or structure is None or START in structure.routers:
        return
    graph.is_entered = True
    _record_entry(graph, step, declared_moves(structure, START))


def enter_by_start(start: RunRecord, graph: RunRecord) -> None:
    """The hidden beginning of a graph has edges and routers as a node has."""
    graph.is_entered = True
    if start.step is not None:
        _record_entry(graph, start.step["step"], moves_after(start, None))


def _record_entry(graph: RunRecord, step: int | None, moves: list[dict[str, Any]]) -> None:
    observation = graph.observation
    entry: dict[str, Any] = {
        "trace_id": graph.trace_id,
        "graph_id": None if observation is None else observation.observation_id,
        "next": moves,
    }
    if graph.graph_hash is not None:
        entry["graph_hash"] = graph.graph_hash
    if step is not None:
        entry["step"] = step
    record_graph_entry(entry)


def _open_inside(start: RunStart, place: _Place, trace: OpenTrace | None = None) -> RunRecord | None:
    role = _role_of(start, place.parent)
    structure = _structure(start.graph) if start.graph is not None else (place.parent.structure if place.parent else None)
    step = read_step(start.metadata) if role in {"node", "hidden"} else None
    record = RunRecord(
        run_id=start.run_id,
        trace_id=place.trace_id or "",
        parent=place.parent,
        parent_id=place.parent_id,
        role=role,
        name=start.name,
        trace=trace,
        structure=structure,
        step=step,
        started_at=timestamp(),
    )
    if place.parent is not None:
        record.seen_entries = place.parent.seen_entries
    if role == "node" and step is not None and place.parent is not None:
        enter_graph(place.parent, step["step"] - 1)
    if role in _KINDS:
        record.observation = start_observation(
            record.trace_id,
            place.parent_id,
            _KINDS[role],
            start.name,
            model=start.model,
            code=_code_of(structure, start.name) if role == "node" else None,
            graph_step=step,
            messages=start.messages,
            input=start.input,
            attributes=_attributes(start, role),
        )
        if record.observation is None:
            return None
        record.parent_id = record.observation.observation_id
    if role == "tool":
        record.parameters = start.input
        if place.parent is not None:
            place.parent.seen_tools.append(start.name)
    remember_run(record)
    if role == "graph":
        _enter_by_command(record, start.input)
    return record


def _open_trace(start: RunStart, own: TracedGraph) -> RunRecord | None:
    structure = None if start.graph is None else _structure(start.graph)
    is_own = structure is not None and structure is own.structure
    trace = _start_trace_of(start, own, start.input, structure.drawing.hash if structure is not None and is_own else None)
    if trace is None:
        return None
    record = RunRecord(start.run_id, trace.trace_id, None, None, "trace", own.trace_name, trace=trace, structure=structure)
    remember_run(record)
    if is_own:
        note_own_graph(record, own)
    _enter_by_command(record, start.input)
    return record


def _start_trace_of(start: RunStart, own: TracedGraph, given: Any, graph_hash: str | None) -> OpenTrace | None:
    metadata = start.metadata
    attributes: dict[str, Any] = {"run_id": str(start.run_id)}
    if graph_hash is not None:
        attributes["graph_hash"] = graph_hash
    if start.tags:
        attributes["tags"] = list(start.tags)
    attributes["metadata"] = {key: value for key, value in metadata.items() if not _OWN_METADATA.match(str(key))}
    return start_trace(
        own.trace_name or start.name,
        thread_id=metadata.get("thread_id"),
        session_id=metadata.get("session_id"),
        user_id=metadata.get("user_id"),
        input=given,
        attributes=attributes,
    )


def _enter_by_command(record: RunRecord, given: Any) -> None:
    """A Command that is a graph's input may say where to begin."""
    moves = command_moves(given)
    if moves:
        _record_entry(record, None, moves)


def _find_place(start: RunStart) -> _Place:
    parent = find_run(start.parent_run_id)
    own = own_span.get()
    # A span of the application that was opened inside the very run that is the parent lies between the two.
    if own is not None and own.inside_run == (None if parent is None else str(start.parent_run_id)):
        return _Place(parent, own.observation_id, own.trace_id)
    return _Place() if parent is None else _Place(parent, parent.parent_id, parent.trace_id)


def _role_of(start: RunStart, parent: RunRecord | None) -> Role:
    if start.kind != "chain":
        return start.kind
    if start.graph is not None:
        return "graph"
    is_hidden = HIDDEN_TAG in start.tags
    if parent is not None:
        is_step = any(tag.startswith("graph:step:") for tag in start.tags)
        if parent.role in {"trace", "graph"} and is_step and start.name == start.metadata.get("langgraph_node"):
            return "hidden" if is_hidden else "node"
        structure = parent.structure
        if parent.role in {"node", "hidden"} and structure and start.name in structure.routers.get(parent.name, {}):
            return "router"
    return "hidden" if is_hidden else "span"


def _attributes(start: RunStart, role: Role) -> dict[str, Any]:
    attributes: dict[str, Any] = {"run_id": str(start.run_id)}
    if role == "node":
        attributes["step"] = start.metadata.get("langgraph_step")
        attributes["triggers"] = start.metadata.get("langgraph_triggers")
    return {**attributes, **start.attributes}


def _code_of(structure: GraphStructure | None, node: str) -> CodeReference | None:
    runnable = None if structure is None else structure.code.get(node)
    function = getattr(runnable, "func", None) or getattr(runnable, "afunc", None) or runnable
    return None if function is None else definition_site(function)


def _structure(graph: Any) -> GraphStructure | None:
    """None where a graph cannot be read; its run is recorded without its edges."""
    return quietly(lambda: structure_of(graph))

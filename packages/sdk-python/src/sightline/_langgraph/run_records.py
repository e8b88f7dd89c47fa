from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal
from uuid import UUID

from sightline._capture.recorder import OpenObservation, OpenTrace
from sightline._langgraph.graph_structure import GraphStructure

Role = Literal["trace", "graph", "node", "router", "tool", "model", "retriever", "span", "hidden"]
Move = dict[str, Any]
"""`{to, via, …}` as the event schema has it: where a step said to go on."""

_MAX_RUNNING = 20_000
_MAX_ENDED = 2000


@dataclass(slots=True)
class RunRecord:
    """One run of the framework: what it is recorded as, and what its end needs to know."""

    run_id: UUID
    trace_id: str
    parent: RunRecord | None
    parent_id: str | None
    """The observation children hang under; None directly under the trace."""
    role: Role
    name: str
    trace: OpenTrace | None = None
    observation: OpenObservation | None = None
    structure: GraphStructure | None = None
    """Structure of the graph that this run is, or that it belongs to."""
    graph_hash: str | None = None
    """Hash of the declared graph, when this run is one."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """What a tool was called with."""
    started_at: str = ""
    step: dict[str, Any] | None = None
    """Which task of its graph a node runs as."""
    routes: list[dict[str, Any]] = field(default_factory=list)
    routed: list[Move] = field(default_factory=list)
    """Where the routers of this node led."""
    is_entered: bool = False
    """Whether it was said where this graph's beginning led, or nothing is to be said as it goes on from a checkpoint."""
    inner_command: bool = False
    """The graph below ended by a Command to the graph this node belongs to."""
    paused_at: str | None = None
    """The checkpoint an interrupted graph waits at."""
    interrupts: Any = None
    seen_tools: list[str] = field(default_factory=list)
    """Names of tools whose calls were seen under this node."""
    seen_entries: set[tuple[str, str, str]] = field(default_factory=set)
    """Tool entries of the agent's state that this trace has recorded already."""
    is_cut: bool = False
    """It was said to be cancelled with what is around it, unless its own end comes all the same."""
    child_failure: Any = None
    """The error of the last run below that ended, if it failed."""


# Run ids are LangChain's and one for the whole process: handlers of several graphs are told of the same run, and an
# observation inside it finds it without any handler. So all handlers share these.
_running: dict[UUID, RunRecord] = {}
# Ended runs are kept for a while, so that work that a node left behind still finds its place.
_ended: dict[UUID, RunRecord] = {}


def find_run(run_id: UUID | None) -> RunRecord | None:
    return None if run_id is None else (_running.get(run_id) or _ended.get(run_id))


def find_running(run_id: UUID) -> RunRecord | None:
    return _running.get(run_id)


def running_within(around: RunRecord) -> list[RunRecord]:
    return [record for record in list(_running.values()) if _is_within(record, around)]


def _is_within(record: RunRecord, around: RunRecord) -> bool:
    parent = record.parent
    while parent is not None and parent is not around:
        parent = parent.parent
    return parent is around


def remember_run(record: RunRecord) -> None:
    _running[record.run_id] = record
    _forget_oldest(_running, _MAX_RUNNING)


def end_run(run_id: UUID) -> RunRecord | None:
    record = _running.pop(run_id, None)
    if record is not None:
        _ended[run_id] = record
        _forget_oldest(_ended, _MAX_ENDED)
    return record


def _forget_oldest(records: dict[UUID, RunRecord], maximum: int) -> None:
    while len(records) > maximum:
        try:
            records.pop(next(iter(records)), None)
        except (RuntimeError, StopIteration):
            # Another thread was faster.
            return

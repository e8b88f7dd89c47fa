from __future__ import annotations

from typing import Any

from sightline._capture.outcomes import failed_outcome
from sightline._capture.recorder import Outcome, end_observation, end_trace
from sightline._capture.returned import note_class
from sightline._event.timestamp import timestamp
from sightline._langgraph.graph_moves import (
    goto_targets,
    moves_after,
    moves_after_failure,
    moves_after_inner_command,
    moves_to_parent,
    routed_moves,
)
from sightline._langgraph.run_records import Move, RunRecord, running_within
from sightline._langgraph.run_start import enter_by_start, enter_graph
from sightline._langgraph.tool_call import record_state_tools

_INTERRUPTS = frozenset({"GraphInterrupt", "NodeInterrupt"})


def close_run(record: RunRecord, outcome: Outcome, command: Any = None) -> None:
    """Records the end of a run in the way its role asks for; `command` is the one it ended by, for the graph around its own."""
    match record.role:
        case "trace" | "graph":
            _close_graph(record, outcome, command)
        case "router":
            _close_router(record, outcome)
        case "hidden":
            _close_hidden(record, outcome)
        case "node":
            outcome.next = _next_of(record, outcome, command)
            goto = goto_targets(outcome.output)
            own = {**record_state_tools(record, outcome.output), **_routes_of(record), **({"goto": goto} if goto else {})}
            _end(record, outcome, own)
        case "tool":
            _close_tool(record, outcome)
        case "model" | "retriever" | "span":
            _end(record, outcome, {})
    # Ended runs are kept for a while; the application's values, and errors with all their frames, are not.
    record.parameters = {}
    record.interrupts = record.child_failure = None


def error_outcome(error: BaseException) -> tuple[Outcome, Any]:
    """How an error ended a run, and the Command it carried. An interrupt and a Command are no failures."""
    name = type(error).__name__
    carried = error.args[0] if error.args else None
    if name in _INTERRUPTS:
        return Outcome("interrupted", attributes={"interrupts": carried}), None
    if name == "ParentCommand":
        return Outcome("success", attributes={"command": carried}), carried
    return failed_outcome(error), None


def _close_router(record: RunRecord, outcome: Outcome) -> None:
    if record.parent is not None and outcome.status == "success":
        moves = routed_moves(record, outcome.output)
        record.parent.routed += moves
        record.parent.routes.append({"router": record.name, "to": [move["to"] for move in moves]})


def _close_hidden(record: RunRecord, outcome: Outcome) -> None:
    graph = record.parent
    if graph is None or graph.role not in {"graph", "trace"}:
        return
    graph.routes += record.routes
    if record.structure is not None and outcome.status == "success" and record.name == "__start__":
        enter_by_start(record, graph)


def _next_of(record: RunRecord, outcome: Outcome, command: Any) -> list[Move] | None:
    if outcome.status == "failure":
        return moves_after_failure(record)
    if outcome.status != "success" or record.structure is None:
        return None
    if command is None:
        return moves_after(record, outcome.output)
    return moves_after_inner_command(record) if record.inner_command else moves_to_parent(command)


def _close_graph(record: RunRecord, outcome: Outcome, command: Any) -> None:
    enter_graph(record, None)
    if command is not None and record.parent is not None:
        record.parent.inner_command = True
    if record.interrupts is not None and outcome.status == "success":
        # An interrupted graph ends without an error; only the lifecycle callback reported the interrupt.
        outcome.status = "interrupted"
    elif outcome.status == "interrupted" and record.child_failure is not None:
        # A time-out reaches the graph as a mere cancellation; the node below knows that it was a failure.
        outcome = Outcome("failure", error=record.child_failure)
    attributes = _routes_of(record)
    if record.interrupts is not None:
        attributes["interrupts"] = record.interrupts
    if record.graph_hash is not None:
        attributes["graph_hash"] = record.graph_hash
    _end(record, outcome, attributes)


def _close_tool(record: RunRecord, outcome: Outcome) -> None:
    note_class(outcome)
    outcome.tool = {
        "tool_name": record.name,
        "parameters": record.parameters,
        "result": outcome.output,
        "timestamp": record.started_at or timestamp(),
        "status": "success" if outcome.status == "success" else "failure",
    }
    _end(record, outcome, {})


def _end(record: RunRecord, outcome: Outcome, attributes: dict[str, Any]) -> None:
    if outcome.status == "failure" or outcome.attributes.get("cancelled"):
        _cut_short(record)
    if record.parent is not None:
        record.parent.child_failure = (outcome.error or "failure") if outcome.status == "failure" else None
    outcome.attributes = {**attributes, **outcome.attributes}
    if record.observation is not None:
        end_observation(record.observation, outcome)
    if record.trace is not None:
        ended = outcome
        if record.observation is not None:
            ended = Outcome(outcome.status, output=outcome.output, error=outcome.error)
        ended.paused_at = record.paused_at if outcome.status == "interrupted" else None
        end_trace(record.trace, ended)


def _cut_short(around: RunRecord) -> None:
    """LangChain says nothing of a call that is cancelled while it is awaited. One that goes on replaces this by its own end."""
    for record in running_within(around):
        if record.observation is not None and not record.is_cut:
            record.is_cut = True
            end_observation(record.observation, Outcome("interrupted", attributes={"cancelled": True}))


def _routes_of(record: RunRecord) -> dict[str, Any]:
    return {"routes": record.routes} if record.routes else {}

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sightline._langgraph.graph_structure import END, GraphStructure
from sightline._langgraph.run_records import Move, RunRecord

_MAX_NAME_LENGTH = 600
_MAX_MOVES = 1000
_MAX_TRIGGERS = 1000
_MAX_CHANNEL_LENGTH = 4000
_PUSH = "__pregel_push"


def read_step(metadata: Mapping[str, Any]) -> dict[str, Any] | None:
    """Which task of its graph a node runs as, as LangGraph's metadata says."""
    task, step = metadata.get("langgraph_checkpoint_ns"), metadata.get("langgraph_step")
    triggers, path = metadata.get("langgraph_triggers"), metadata.get("langgraph_path")
    if not isinstance(task, str) or not isinstance(step, int) or not isinstance(triggers, (list, tuple)):
        return None
    place = path[1] if isinstance(path, (list, tuple)) and len(path) > 1 and path[0] == _PUSH else None
    read: dict[str, Any] = {
        "task": task[:_MAX_CHANNEL_LENGTH],
        "step": step,
        "triggers": [str(trigger)[:_MAX_CHANNEL_LENGTH] for trigger in triggers[:_MAX_TRIGGERS]],
    }
    return {**read, "index": place} if isinstance(place, int) else read


def moves_after(record: RunRecord, output: Any) -> list[Move]:
    """Where a node that ended well leads: what its Command says, its edges, its routers; the end when nothing else."""
    moves = [*command_moves(output), *declared_moves(record.structure, record.name), *record.routed]
    return _bounded(moves or [{"to": END, "via": "static"}])


def moves_after_inner_command(record: RunRecord) -> list[Move]:
    """A node whose inner graph ended by a Command to this one: the Command's target is the inner node's move."""
    return _bounded([*declared_moves(record.structure, record.name), *record.routed])


def moves_to_parent(command: Any) -> list[Move]:
    """A node that left its graph by a Command to the graph around it."""
    return _bounded([{**move, "parent": True} for move in _goto_moves(command)])


def moves_after_failure(record: RunRecord) -> list[Move] | None:
    handler = None if record.structure is None else record.structure.error_handlers.get(record.name)
    return None if handler is None else _bounded([{"to": handler, "via": "error"}])


def routed_moves(record: RunRecord, answer: Any) -> list[Move]:
    """A router answers a name, a Send, or a list of them; declared ends say which node a name means."""
    node = record.parent
    ends = node.structure.routers.get(node.name, {}).get(record.name) if node is not None and node.structure else None
    return [_routed_move(target, ends) for target in _each(answer)]


def command_moves(output: Any) -> list[Move]:
    """The moves of a Command within its own graph, or of several Commands."""
    return [move for command in _each(output) if _is_command(command) and command.graph is None for move in _goto_moves(command)]


def goto_targets(output: Any) -> list[str]:
    """A node that answers a Command says itself where to go on."""
    return [
        target.node if _is_send(target) else str(target)
        for command in _each(output)
        if _is_command(command)
        for target in _each(command.goto)
    ]


def command_update(output: Any) -> Any:
    """A node returns its update or a Command around it."""
    return output.update if _is_command(output) else output


def declared_moves(structure: GraphStructure | None, node: str) -> list[Move]:
    if structure is None:
        return []
    moves: list[Move] = [{"to": target, "via": "static"} for target in structure.edges.get(node, ())]
    for sources, target in structure.joins:
        if node in sources:
            moves.append({"to": target, "via": "join", "trigger": f"join:{'+'.join(sources)}:{target}"})
    return moves


def _goto_moves(command: Any) -> list[Move]:
    return [
        {"to": target.node, "via": "send"} if _is_send(target) else {"to": str(target), "via": "goto"}
        for target in _each(command.goto)
    ]


def _routed_move(target: Any, ends: Mapping[str, str] | None) -> Move:
    if _is_send(target):
        return {"to": target.node, "via": "send"}
    named = ends.get(target, target) if ends is not None else target
    return {"to": str(named), "via": "conditional"}


def _bounded(moves: Sequence[Move]) -> list[Move]:
    """Equal moves in a row become one with a count: a fan-out to thousands of tasks stays small."""
    merged: list[Move] = []
    for given in moves:
        move = {**given, "to": given["to"][:_MAX_NAME_LENGTH]}
        if "trigger" in move:
            move["trigger"] = move["trigger"][:_MAX_CHANNEL_LENGTH]
        last = merged[-1] if merged else None
        if last is not None and all(last.get(key) == move.get(key) for key in ("to", "via", "trigger")):
            last["count"] = last.get("count", 1) + 1
        else:
            merged.append(move)
    return merged[:_MAX_MOVES]


def _each(value: Any) -> Sequence[Any]:
    return value if isinstance(value, (list, tuple)) else (value,)


def _is_send(target: Any) -> bool:
    return type(target).__name__ == "Send" and isinstance(getattr(target, "node", None), str)


def _is_command(value: Any) -> bool:
    return type(value).__name__ == "Command" and hasattr(value, "goto") and hasattr(value, "graph")

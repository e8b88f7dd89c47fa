from __future__ import annotations

import datetime
import json
from collections.abc import Mapping
from typing import Any

from sightline._capture.loose_values import as_list, as_mapping
from sightline._capture.recorder import Outcome, end_observation, start_observation
from sightline._event.timestamp import timestamp
from sightline._langgraph.graph_moves import command_update
from sightline._langgraph.run_records import RunRecord

_MAX_PARSED_LENGTH = 65_536
"""Longer arguments are not parsed on the application's thread; they are recorded as the text they are."""
_MAX_ENTRIES = 1000


def tool_parameters(text: str, inputs: Any) -> Mapping[str, Any]:
    """LangChain hands a tool's arguments over as a mapping, or as the bare text of a tool that takes one."""
    if isinstance(inputs, Mapping):
        return inputs
    if len(text) <= _MAX_PARSED_LENGTH and text.startswith("{"):
        try:
            parsed = json.loads(text)
        except ValueError:
            parsed = None
        if isinstance(parsed, dict):
            return parsed
    return {"input": text}


def read_tool_result(output: Any) -> tuple[Any, bool]:
    """A ToolMessage carries the result as its content, and whether the tool failed."""
    if hasattr(output, "tool_call_id") and hasattr(output, "content"):
        return output.content, getattr(output, "status", "success") == "error"
    return output, False


def record_state_tools(node: RunRecord, output: Any) -> dict[str, Any]:
    """Records the tool entries a node wrote into the agent's state and that no callback has shown. `_tools_executed_by` must be
    the node's name; where it is not, the entry is flagged. Returns the node's own attributes."""
    update = as_mapping(command_update(output))
    entries = as_list(update.get("_tools_executed"))
    if not entries:
        return {}
    executed_by = update.get("_tools_executed_by")
    flags: dict[str, Any] = {}
    if isinstance(executed_by, str):
        flags["tools_executed_by"] = executed_by
        if executed_by != node.name:
            flags["tools_executed_by_mismatch"] = True
    unmatched = list(node.seen_tools)
    for value in entries[:_MAX_ENTRIES]:
        entry = _read_entry(value)
        if entry is None:
            continue
        key = (entry["tool_name"], entry["timestamp"], entry["status"])
        if key in node.seen_entries:
            continue
        node.seen_entries.add(key)
        if entry["tool_name"] in unmatched:
            unmatched.remove(entry["tool_name"])
        else:
            _record_entry(node, entry, flags)
    return flags


def _record_entry(node: RunRecord, entry: Mapping[str, Any], flags: Mapping[str, Any]) -> None:
    opened = start_observation(
        node.trace_id,
        node.parent_id,
        "tool",
        entry["tool_name"],
        started_at=entry["timestamp"],
        input=entry["parameters"],
        attributes={"source": "_tools_executed", **flags},
    )
    if opened is not None:
        ended_at = entry["timestamp"]
        end_observation(opened, Outcome(entry["status"], output=entry["result"], tool=entry, duration_ms=0, ended_at=ended_at))


def _read_entry(value: Any) -> dict[str, Any] | None:
    entry = as_mapping(value)
    name, status = entry.get("tool_name"), entry.get("status")
    if not isinstance(name, str) or status not in {"success", "failure"}:
        return None
    return {
        "tool_name": name,
        "parameters": as_mapping(entry.get("parameters")),
        "result": entry.get("result"),
        "timestamp": _utc(entry.get("timestamp")) or timestamp(),
        "status": status,
    }


def _utc(given: Any) -> str | None:
    """A time as the schema has it; without a zone it is UTC, as the contract says."""
    try:
        time = given if isinstance(given, datetime.datetime) else datetime.datetime.fromisoformat(given)
    except (TypeError, ValueError):
        return None
    aware = time.replace(tzinfo=datetime.UTC) if time.tzinfo is None else time.astimezone(datetime.UTC)
    return aware.isoformat(timespec="milliseconds").replace("+00:00", "Z")

"""What a stream says, as a test wants to read it; every event is judged by the platform's JSON Schema."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import redis
from jsonschema import Draft202012Validator

EVENTS = Path(__file__).parents[2] / "observability" / "events"
PROJECT_ID = "4f6c1c8e-3b0a-4c57-9a55-2f1f4c8f7a10"

Body = dict[str, Any]
_validators = {
    branch["properties"]["type"]["const"]: Draft202012Validator(branch)
    for branch in json.loads((EVENTS / "event-v1.schema.json").read_text())["oneOf"]
}


class Recording:
    def __init__(self, client: redis.Redis, stream: str) -> None:
        entries: Any = client.xrange(stream)
        self.events = [_read_entry(fields) for _, fields in entries]
        contents = {event["body"]["sha256"]: event["body"]["content"] for event in self.events if event["type"] == "blob"}
        for event in self.events:
            event["body"] = _resolve(event["body"], contents)
        self.starts = self.of_type("observation.start")
        self.ends = self.of_type("observation.end")
        self.traces = self.of_type("trace.start")
        self.trace_ends = self.of_type("trace.end")

    def of_type(self, kind: str) -> list[Body]:
        return [event["body"] for event in self.events if event["type"] == kind]

    def find(self, name: str) -> tuple[Body, Body]:
        """Start and end of the first observation of this name."""
        start = next(start for start in self.starts if start["name"] == name)
        end = next((end for end in self.ends if end["observation_id"] == start["observation_id"]), {})
        return start, end

    @property
    def tree(self) -> list[str]:
        """Each observation as `kind name < parent`."""
        names = {start["observation_id"]: start["name"] for start in self.starts}
        return [f"{start['kind']} {start['name']} < {names.get(start['parent_id'], '-')}" for start in self.starts]

    @property
    def text(self) -> str:
        return json.dumps(self.events, ensure_ascii=False)


def _read_entry(fields: dict[bytes, bytes]) -> dict[str, Any]:
    event: dict[str, Any] = {name.decode(): value.decode() for name, value in fields.items()}
    event = {**event, "v": int(event["v"]), "seq": int(event["seq"]), "body": json.loads(event["body"])}
    _validators[event["type"]].validate(event)
    return event


def _resolve(value: Any, contents: dict[str, Any]) -> Any:
    """References to contents become the contents, as the platform shows them; every reference has its blob."""
    if isinstance(value, list):
        return [_resolve(item, contents) for item in value]
    if isinstance(value, dict):
        if set(value) == {"$blob"}:
            return contents[value["$blob"]]
        return {key: _resolve(item, contents) for key, item in value.items()}
    return value

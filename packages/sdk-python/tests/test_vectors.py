"""Events and entries that the SDKs of all languages share, and the masks."""

from __future__ import annotations

import json

import pytest
from jsonschema import Draft202012Validator
from recording import EVENTS

from sightline._mask.secret_texts import mask_text
from sightline._publish.buffered_event import BufferedEvent, StreamEntry
from sightline._publish.entry_writer import write_entries, write_words

VECTORS = json.loads((EVENTS / "event-vectors.json").read_text())
MASKS = json.loads((EVENTS / "mask-vectors.json").read_text())
SCHEMA = Draft202012Validator(json.loads((EVENTS / "event-v1.schema.json").read_text()))


def named(vectors):
    return [pytest.param(vector, id=vector["name"]) for vector in vectors]


@pytest.mark.parametrize("vector", named(VECTORS["valid"]))
def test_the_schema_accepts(vector):
    assert SCHEMA.is_valid(vector["event"])


@pytest.mark.parametrize("vector", named(VECTORS["invalid"]))
def test_the_schema_refuses(vector):
    assert not SCHEMA.is_valid(vector["event"])


@pytest.mark.parametrize("vector", named(VECTORS["entries"]["valid"]))
def test_an_entry_is(vector):
    event = vector["event"]
    source = BufferedEvent(event["type"], None, 0, event["ts"])
    source.id, source.seq = event["id"], event["seq"]
    body = json.dumps(event["body"], separators=(",", ":"), ensure_ascii=False)
    command = write_entries([StreamEntry(source, body.encode())], b"", event["project_id"], event["producer_id"])
    assert command == b"*22\r\n" + write_words(*vector["fields"])


@pytest.mark.parametrize("vector", named(MASKS["texts"]))
def test_masks(vector):
    assert mask_text(vector["text"]) == vector["masked"]

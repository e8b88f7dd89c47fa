from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from sightline._mask.safe_text import safe_text
from sightline._mask.secret_texts import mask_text

EVENT_VERSION = 1
"""Version of the event schema."""

_MIN_PART_LENGTH = 256
"""A reference is 78 characters; below this it saves little."""
_MAX_PARTS = 256
_ADDRESSED = frozenset({"input", "output"})
# These are the event's own copies; the others are the SDK's words or shared between events.
_MASKED_FIELDS = frozenset({"name", "input", "output", "error", "attributes", "usage", "reasoning", "tool_entry", "comment"})

_NULLABLE = frozenset({"parent_id", "graph_id"})
"""An observation directly under its trace, and the graph of the trace itself, say so."""

_encoder = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
_make_encoder = getattr(json.encoder, "c_make_encoder", None)
# The encoder makes one of these for each value, which takes as long as a short message.
_write_chunks = _make_encoder and _make_encoder(
    None, _encoder.default, json.encoder.encode_basestring, None, ":", ",", False, False, False
)


def _encode(value: Any) -> str:
    return _encoder.encode(value) if _write_chunks is None or type(value) is str else "".join(_write_chunks(value, 0))


class Piece(NamedTuple):
    """A stretch of an event's JSON."""

    content: bytes
    is_part: bool
    """Whether it is a value of its own, which may be replaced by a reference."""


def write_event_text(body: Mapping[str, Any]) -> list[Piece]:
    """A body as JSON in pieces, with secrets within its texts masked; its payloads are changed in place. Messages and keys
    of the state are the parts: the same ones come again with every step of a run. Raises what JSON cannot hold."""
    writer = _Writer()
    separator = "{"
    for key, value in body.items():
        if value is not None or key in _NULLABLE:
            writer.put(f"{separator}{_encode(key)}:")
            separator = ","
            masked = mask_texts(value) if key in _MASKED_FIELDS else value
            writer.write(masked, "payload" if key in _ADDRESSED else "whole")
    writer.put("{}" if separator == "{" else "}")
    return writer.finish()


def mask_texts(value: Any) -> Any:
    """Changes the texts of a copy in place."""
    kind = type(value)
    if kind is str:
        return mask_text(safe_text(value))
    if kind is list:
        for index, item in enumerate(value):
            if type(item) in _HOLDS_TEXT:
                value[index] = mask_texts(item)
    elif kind is dict:
        for key, item in value.items():
            if type(item) in _HOLDS_TEXT:
                value[key] = mask_texts(item)
    return value


_HOLDS_TEXT = frozenset({str, list, dict})


class _Writer:
    """Parts are the items of a payload that is a list; of an object its values, and of those that are lists their items."""

    def __init__(self) -> None:
        self._pieces: list[Piece] = []
        self._plain: list[str] = []
        self._parts = 0

    def put(self, text: str) -> None:
        self._plain.append(text)

    def write(self, value: Any, place: str) -> None:
        kind = type(value)
        if kind is list and place in {"payload", "value"} and value:
            self._write_each("[", "]", ((None, item) for item in value), "item")
        elif kind is dict and place == "payload" and value:
            self._write_each("{", "}", value.items(), "value")
        else:
            text = _encode(value)
            if place != "whole" and len(text) >= _MIN_PART_LENGTH and self._parts < _MAX_PARTS:
                self._parts += 1
                self._flush()
                self._pieces.append(Piece(text.encode(), is_part=True))
            else:
                self._plain.append(text)

    def _write_each(self, opening: str, closing: str, entries: Any, place: str) -> None:
        separator = opening
        for key, item in entries:
            self._plain.append(separator if key is None else f"{separator}{_encode(key)}:")
            separator = ","
            self.write(item, place)
        self._plain.append(closing)

    def _flush(self) -> None:
        if self._plain:
            self._pieces.append(Piece("".join(self._plain).encode(), is_part=False))
            self._plain = []

    def finish(self) -> list[Piece]:
        self._flush()
        return self._pieces

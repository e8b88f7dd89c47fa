from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

from sightline._mask.safe_text import safe_text
from sightline._mask.secret_texts import mask_text, may_hold_secrets

EVENT_VERSION = 1
"""Version of the event schema."""

_MIN_PART_LENGTH = 256
"""A reference is 78 characters; below this it saves little."""
_MAX_PARTS = 256
_ADDRESSED = ("input", "output")
# These are the event's own copies; the others are the SDK's words or shared between events.
_MASKED_FIELDS = frozenset(
    {"name", "input", "output", "error", "stack", "attributes", "usage", "reasoning", "tool_entry", "comment"}
)

_NULLABLE = frozenset({"parent_id", "graph_id"})
"""An observation directly under its trace, and the graph of the trace itself, say so."""

_encoder = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
_make_encoder = getattr(json.encoder, "c_make_encoder", None)
# An encoder makes one of these for each value, which takes as long as a short message. This one takes half the time that one does
# which leaves all signs as they are, and answers the same where it had none to write as `\u`.
_ascii_chunks = _make_encoder and _make_encoder(
    None, _encoder.default, json.encoder.encode_basestring_ascii, None, ":", ",", False, False, False
)


def _encode(value: Any) -> str:
    if _ascii_chunks is None:
        return _encoder.encode(value)
    text = json.encoder.encode_basestring_ascii(value) if type(value) is str else "".join(_ascii_chunks(value, 0))
    return _encoder.encode(value) if "\\" in text and "\\u" in text else text


class EventText(NamedTuple):
    """An event's JSON."""

    content: bytes
    parts: Sequence[tuple[int, int]]
    """From where to before where a value of its own stands, which may be replaced by a reference."""


def write_event_text(body: Mapping[str, Any]) -> EventText:
    """A body as JSON, with secrets within its texts masked; its payloads are changed in place. Messages and keys of the state
    are the parts: the same ones come again with every step of a run. Raises what JSON cannot hold."""
    others = {key: value for key, value in body.items() if value is not None or key in _NULLABLE}
    payloads = [(key, others.pop(key)) for key in _ADDRESSED if _may_hold_part(others.get(key))]
    if not payloads:
        text = _encode(others)
        return EventText((_encode(_mask_fields(others)) if _needs_a_look(text) else text).encode(), ())
    written: list[str] = []

    def write_plain(value: Any) -> str:
        text = _encode(value)
        written.append(text)
        return text

    plain = _Writer(write_plain).put_together(others, payloads)
    # Most events hold nothing that a mask would look at twice, which their text tells at once. The SDK's own words have letters
    # that payloads need not have.
    if not _needs_a_look(written[0]) and not _needs_a_look(plain.text[len(written[0]) :]):
        return _finish(plain)
    known = iter(written)

    def write_masked(value: Any) -> str:
        text = next(known)
        if not _needs_a_look(text):
            return text
        return _encode(_mask_fields(others) if value is others else mask_texts(value))

    return _finish(_Writer(write_masked).put_together(others, payloads))


class _Pieces(NamedTuple):
    pieces: list[str]
    text: str
    parts: list[int]
    """The places of those pieces that are parts."""


def _finish(written: _Pieces) -> EventText:
    pieces, text, parts = written
    sizes = map(len, pieces if text.isascii() else (piece.encode() for piece in pieces))
    ends = list(accumulate(sizes)) if parts else []
    return EventText(text.encode(), [(ends[place - 1], ends[place]) for place in parts])


def _needs_a_look(text: str) -> bool:
    return may_hold_secrets(text) or _is_unsafe(text)


def _is_unsafe(text: str) -> bool:
    """Whether `safe_text` replaces something in it."""
    if "\\" in text and "\\u0000" in text:
        return True
    try:
        text.isascii() or text.encode()
    except UnicodeEncodeError:
        return True
    return False


def _may_hold_part(value: Any) -> bool:
    """Whether its JSON may be long enough; in JSON a character takes six at the most."""
    kind = type(value)
    return kind is list or kind is dict or (kind is str and len(value) * 6 + 2 >= _MIN_PART_LENGTH)


def _mask_fields(fields: dict[str, Any]) -> dict[str, Any]:
    return {key: mask_texts(value) if key in _MASKED_FIELDS else value for key, value in fields.items()}


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

    def __init__(self, to_json: Callable[[Any], str]) -> None:
        self._to_json = to_json
        self._texts: list[str] = []
        self._parts: list[int] = []

    def put_together(self, others: dict[str, Any], payloads: Sequence[tuple[str, Any]]) -> _Pieces:
        self._texts.append(self._to_json(others)[:-1])
        separator = "," if others else ""
        for key, value in payloads:
            self._texts.append(f'{separator}"{key}":')
            separator = ","
            self._write(value, is_payload=True)
        self._texts.append("}")
        return _Pieces(self._texts, "".join(self._texts), self._parts)

    def _write(self, value: Any, *, is_payload: bool) -> None:
        kind = type(value)
        if kind is list and value:
            self._write_list(value)
        elif kind is dict and is_payload and value:
            separator = "{"
            for key, item in value.items():
                self._texts.append(f"{separator}{_encode(key)}:")
                separator = ","
                self._write(item, is_payload=False)
            self._texts.append("}")
        else:
            self._write_value(value)

    def _write_list(self, items: list[Any]) -> None:
        texts, parts, to_json = self._texts, self._parts, self._to_json
        separator = "["
        for item in items:
            text = to_json(item)
            if len(text) >= _MIN_PART_LENGTH and len(parts) < _MAX_PARTS:
                parts.append(len(texts) + 1)
            texts += (separator, text)
            separator = ","
        texts.append("]")

    def _write_value(self, value: Any) -> None:
        text = self._to_json(value)
        if len(text) >= _MIN_PART_LENGTH and len(self._parts) < _MAX_PARTS:
            self._parts.append(len(self._texts))
        self._texts.append(text)

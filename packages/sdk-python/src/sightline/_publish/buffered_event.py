from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sightline._event.event_text import EventText

OVERHEAD_BYTES = 600
"""What an event holds beside its body: identifiers, fields, object headers."""

Body = Mapping[str, Any] | Callable[[int], Mapping[str, Any]]
"""The event's body, or a function that makes it from the event's number once that is known."""


class BufferedEvent:
    """An event that waits in this process."""

    __slots__ = ("body", "dropped", "hash", "id", "seq", "size", "ts", "type", "written")

    def __init__(self, kind: str, body: Body | None, size: int, ts: str) -> None:
        self.id = ""
        """Empty until it is numbered."""
        self.type = kind
        self.ts = ts
        self.seq = 0
        """The event's number; 0 until it is given one."""
        self.body = body
        """Until it is written."""
        self.written: EventText | None = None
        self.size = size + OVERHEAD_BYTES
        """About as many bytes as it holds."""
        self.hash: bytes | None = None
        """SHA-256 of the content, for a blob."""
        self.dropped = False


class StreamEntry:
    """One entry as it goes over the wire: flat fields, the body as JSON."""

    __slots__ = ("body", "source")

    def __init__(self, source: BufferedEvent, body: bytes) -> None:
        self.source = source
        """The event in the buffer it was made of."""
        self.body = body

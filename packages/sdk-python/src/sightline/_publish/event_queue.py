from __future__ import annotations

import hashlib
import threading
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from time import monotonic

from sightline._event.event_text import EventText, write_event_text
from sightline._event.identifier import create_identifier
from sightline._event.timestamp import timestamp
from sightline._mask.giving_way import give_way
from sightline._publish.buffered_event import OVERHEAD_BYTES, Body, BufferedEvent, StreamEntry
from sightline._publish.event_buffer import EventBuffer
from sightline._publish.sent_contents import SentContents, Version

Drop = Callable[[str, int], None]


class EventQueue:
    """Events between the application's call and the wire. The call only takes a copy; text, masks within texts and hashes are
    made by the publisher's own thread. An event gets its number when it leaves or is dropped, so that what is dropped leaves
    a gap. Any thread may add; one thread writes, takes and settles."""

    def __init__(self, max_bytes: int, max_events: int, drop: Drop) -> None:
        # A destructor that runs within a call may record an event itself, in the same thread.
        self._lock = threading.RLock()
        self._buffer = EventBuffer(max_bytes, max_events)
        self._unwritten: deque[BufferedEvent] = deque()
        self._contents = SentContents()
        self._drop = drop
        self._sequence = 0

    def add(self, kind: str, body: Body, size: int, ts: str | None = None) -> None:
        """Queues an event of the time `ts`, by default now; `size` is about what its body holds."""
        event = BufferedEvent(kind, body, size, ts or timestamp())
        with self._lock:
            self._unwritten.append(event)
            dropped = self._buffer.add(event)
            if dropped:
                self._lose("buffer_full", dropped)
                while self._unwritten and self._unwritten[0].dropped:
                    self._unwritten.popleft()

    def write(self, maximum_events: int, maximum_bytes: int) -> None:
        """Writes the bodies as JSON, oldest first, until so many are written: an application may add them faster."""
        written_bytes = 0
        while maximum_events > 0 and written_bytes < maximum_bytes:
            with self._lock:
                event = self._unwritten.popleft() if self._unwritten else None
            if event is None:
                return
            body = event.body
            if event.dropped or body is None or callable(body):
                continue
            written = _write(body)
            maximum_events -= 1
            written_bytes += _held(written)
            # The application's threads go first.
            give_way()
            with self._lock:
                event.body = None
                event.written = written
                if not event.dropped:
                    dropped = self._buffer.resize(event, _held(written))
                    if dropped:
                        self._lose("buffer_full", dropped)

    def take(self, maximum_events: int, maximum_bytes: int) -> list[StreamEntry]:
        """The oldest events as they go over the wire, blobs of contents that came again before the events that refer to
        them."""
        with self._lock:
            events = self._buffer.take(maximum_events, maximum_bytes)
        entries: list[StreamEntry] = []
        if self.is_version_due():
            self._contents.distrust()
        for event in events:
            self._add_entries(event, entries)
        return entries

    def settle(self, entries: Sequence[StreamEntry], unsent: Sequence[StreamEntry]) -> None:
        """Says which of those taken did not arrive."""
        failed = {id(entry) for entry in unsent}
        now = monotonic()
        for entry in entries:
            if entry.source.hash is not None and id(entry) not in failed:
                self._contents.confirm(entry.source.hash, now)
        with self._lock:
            self._lose("buffer_full", self._buffer.settle(entry.source for entry in unsent))

    def is_version_due(self) -> bool:
        return self._contents.is_version_due(monotonic())

    def learn_version(self, version: Version, read_at: float) -> None:
        """What is taken refers to what was sent before only for a while after the version of the project's contents was read,
        and found unchanged."""
        self._contents.learn(version, read_at)

    def reconnected(self) -> None:
        """After a new connection: what was sent may be gone."""
        self._contents.distrust()

    def clear(self) -> int:
        """Drops what is left; returns how many."""
        with self._lock:
            dropped = self._buffer.clear()
            self._lose("closed", dropped)
        return len(dropped)

    @property
    def last_sequence(self) -> int:
        return self._sequence

    @property
    def events(self) -> int:
        return self._buffer.events

    @property
    def held_bytes(self) -> int:
        return self._buffer.held_bytes

    def _assign(self, event: BufferedEvent) -> int:
        if event.seq == 0:
            with self._lock:
                self._sequence += 1
                event.seq = self._sequence
                event.id = create_identifier()
        return event.seq

    def _lose(self, reason: str, events: Iterable[BufferedEvent]) -> None:
        count = 0
        for event in events:
            self._assign(event)
            count += 1
            if event.hash is not None:
                self._contents.forget(event.hash)
        if count:
            self._drop(reason, count)

    def _add_entries(self, event: BufferedEvent, entries: list[StreamEntry]) -> None:
        if event.body is not None:
            event.written = _write(event.body(self._assign(event)) if callable(event.body) else event.body)
            event.body = None
            event.size = _held(event.written)
        if event.written is None:
            self._lose("unserializable", [event])
            return
        body = self._refer_to_parts(event.written, entries) if event.written.parts else event.written.content
        self._assign(event)
        entries.append(StreamEntry(event, body))

    def _refer_to_parts(self, written: EventText, entries: list[StreamEntry]) -> bytes:
        """The text with references for those parts that came before; their blobs are added to the entries."""
        content, now, copied = written.content, monotonic(), 0
        pieces: list[bytes] = []
        for start, end in written.parts:
            part = content[start:end]
            if self._contents.meet(zlib.crc32(part)):
                pieces += (content[copied:start], self._refer(part, now, entries))
                copied = end
        return content if copied == 0 else b"".join((*pieces, content[copied:]))

    def _refer(self, content: bytes, now: float, entries: list[StreamEntry]) -> bytes:
        """A reference to a content that is there or goes before."""
        digest = hashlib.sha256(content)
        name = digest.hexdigest().encode()
        if self._contents.treat(digest.digest(), now) == "blob":
            blob = BufferedEvent("blob", None, len(content), timestamp())
            blob.hash = digest.digest()
            blob.written = EventText(b'{"sha256":"' + name + b'","content":' + content + b"}", ())
            self._assign(blob)
            entries.append(StreamEntry(blob, blob.written.content))
        return b'{"$blob":"' + name + b'"}'


def _write(body: object) -> EventText | None:
    """What can't be written must not leave unmasked; it is counted when its turn comes."""
    try:
        return write_event_text(body)  # type: ignore[arg-type]
    except Exception:
        return None


def _held(written: EventText | None) -> int:
    return OVERHEAD_BYTES + (len(written.content) if written else 0)

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable

from sightline._publish.buffered_event import BufferedEvent


class EventBuffer:
    """A queue bounded by bytes and by count that drops its oldest, so that an absent Redis costs bounded memory and no
    waiting. Not safe between threads: its owner holds a lock."""

    def __init__(self, max_bytes: int, max_events: int) -> None:
        self._max_bytes = max_bytes
        self._max_events = max_events
        self._queued: deque[BufferedEvent] = deque()
        self._queued_bytes = 0
        self._taken_events = 0
        self._taken_bytes = 0

    def add(self, event: BufferedEvent) -> list[BufferedEvent]:
        """Adds an event; returns the oldest that were dropped to make room."""
        self._queued.append(event)
        self._queued_bytes += event.size
        return self._drop_while(self._is_over)

    def resize(self, event: BufferedEvent, size: int) -> list[BufferedEvent]:
        """Notes an event's size after its body was written; returns what was dropped to make room."""
        self._queued_bytes += size - event.size
        event.size = size
        return self._drop_while(self._is_over)

    def take(self, maximum_events: int, maximum_bytes: int) -> list[BufferedEvent]:
        """Takes the oldest events; they count as held until they are settled."""
        events: list[BufferedEvent] = []
        taken_bytes = 0
        while self._queued and len(events) < maximum_events and taken_bytes < maximum_bytes:
            event = self._shift()
            taken_bytes += event.size
            events.append(event)
        self._taken_events = len(events)
        self._taken_bytes = taken_bytes
        return events

    def settle(self, unsent: Iterable[BufferedEvent]) -> list[BufferedEvent]:
        """Forgets the taken events, but puts the unsent ones back in front, in their order."""
        for event in reversed(list(unsent)):
            self._queued.appendleft(event)
            self._queued_bytes += event.size
        self._taken_events = self._taken_bytes = 0
        return self._drop_while(self._is_over)

    def clear(self) -> list[BufferedEvent]:
        """Drops everything that is not taken."""
        return self._drop_while(lambda: True)

    @property
    def events(self) -> int:
        return len(self._queued) + self._taken_events

    @property
    def held_bytes(self) -> int:
        return self._queued_bytes + self._taken_bytes

    def _is_over(self) -> bool:
        return self.held_bytes > self._max_bytes or self.events > self._max_events

    def _drop_while(self, is_due: Callable[[], bool]) -> list[BufferedEvent]:
        dropped: list[BufferedEvent] = []
        while self._queued and is_due():
            event = self._shift()
            event.dropped = True
            dropped.append(event)
        return dropped

    def _shift(self) -> BufferedEvent:
        event = self._queued.popleft()
        self._queued_bytes -= event.size
        return event

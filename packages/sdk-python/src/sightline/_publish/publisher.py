from __future__ import annotations

import os
import platform
import socket
import sys
import threading
from concurrent.futures import Future

from sightline._event.identifier import create_identifier
from sightline._event.timestamp import timestamp
from sightline._publish.buffered_event import Body, BufferedEvent
from sightline._publish.connector import Connector
from sightline._publish.event_queue import EventQueue
from sightline._publish.sender import Sender
from sightline._publish.stream_connection import StreamConnection, StreamState
from sightline._publish.unsent_goodbyes import deliver_goodbyes, keep_goodbye
from sightline._settings.metrics import Metrics
from sightline._settings.settings import Settings
from sightline._settings.version import SDK_VERSION
from sightline._settings.warnings import Warnings

CALL_TIMEOUT = 2.0
_SETTLE_TIMEOUT = 0.2
_MAX_HOST_LENGTH = 300


class Publisher:
    """Queues events in this process; a thread of its own, started with the first event, moves them to the stream."""

    def __init__(self, settings: Settings, metrics: Metrics) -> None:
        self.settings = settings
        self._partitions: int | None = None
        self.announced_graphs: set[str] = set()
        """Names and hashes of the graphs that this producer has declared."""
        self._metrics = metrics
        self._warnings = Warnings(settings.logger)
        self._queue = EventQueue(settings.max_buffer_bytes, settings.max_buffer_events, self._note_dropped)
        connector = Connector(self._connect, self._queue.reconnected, self._warnings)
        self.producer_id = create_identifier()
        self._sender = Sender(self.producer_id, self._queue, connector, metrics)
        self._starting = threading.RLock()
        self._thread: threading.Thread | None = None
        self._is_closed = False
        self._queue.add("producer.hello", _describe_producer(), 0)
        metrics.buffered = lambda: (self._queue.events, self._queue.held_bytes)

    @property
    def last_sequence(self) -> int:
        """The last number given: each up to it was published or dropped, or still waits."""
        return self._queue.last_sequence

    def enqueue(self, kind: str, body: Body, size: int, ts: str) -> None:
        """Queues one event of the time `ts` whose body is already bounded and the SDK's own; `size` is about what it holds.
        Never waits."""
        if self._is_closed:
            self._metrics.count_dropped("closed", 1)
            return
        if self._thread is None:
            self._start()
        self._queue.add(kind, body, size, ts)
        self._sender.wake()

    def warn(self, reason: str, message: str) -> None:
        """Says something to the application's log, at most once a minute for each reason."""
        self._warnings.say(reason, message)

    def probe(self) -> Future[StreamState]:
        if self._thread is None:
            self._start()
        return self._sender.probe()

    def send_at_once(self) -> Future[StreamState]:
        """Sends what is queued, and for a minute what follows, without waiting for more of it: the process may soon end."""
        self._sender.stop_lingering()
        return self.probe()

    def close(self, deadline: float) -> None:
        """Says goodbye, flushes for at most `deadline` seconds, lets go. What is left is dropped and counted."""
        if self._is_closed or self._thread is None:
            self._is_closed = True
            return
        self._queue.add("producer.bye", self._sender.report, 0)
        self._is_closed = True
        self._sender.close(deadline)
        # A call to Redis that is under way ends by its own time-out, which nobody waits for.
        self._sender.done.wait(deadline + _SETTLE_TIMEOUT)
        left = self._queue.clear()
        if left > 0:
            self._leave_goodbye(left)

    def _connect(self) -> StreamConnection:
        connection = StreamConnection(self.settings, self.producer_id, self._partitions, CALL_TIMEOUT)
        self._partitions = connection.partitions
        deliver_goodbyes(
            self.settings.project_id, lambda entry, producer_id: connection.append([entry], producer_id).failure is None
        )
        return connection

    def _leave_goodbye(self, left: int) -> None:
        """Leaves the goodbye of this producer to a later process, as `left` events that were numbered will not arrive."""
        event = BufferedEvent("producer.bye", None, 0, timestamp())
        event.id, event.seq = create_identifier(), self.last_sequence
        is_kept = keep_goodbye(self.settings.project_id, self.producer_id, event, self._sender.report(event.seq))
        outlook = "the next start on this machine reports them" if is_kept else "nothing reports them"
        self._warnings.say("closed", f"ended with {left} events that the stream had not taken; they are lost, and {outlook}")

    def _start(self) -> None:
        thread = threading.Thread(target=self._sender.run, name="sightline", daemon=True)
        with self._starting:
            if self._thread is None:
                self._thread = thread
                thread.start()

    def _note_dropped(self, reason: str, count: int) -> None:
        self._metrics.count_dropped(reason, count)
        if reason == "buffer_full":
            self._warnings.say(reason, "the buffer is full: the oldest events are dropped")


def _describe_producer() -> dict[str, object]:
    return {
        "sdk": f"sightline-sdk {SDK_VERSION}",
        "runtime": f"{sys.implementation.name} {platform.python_version()}",
        "host": socket.gethostname()[:_MAX_HOST_LENGTH],
        "pid": os.getpid(),
    }

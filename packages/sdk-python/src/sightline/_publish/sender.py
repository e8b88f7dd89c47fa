from __future__ import annotations

import threading
import time
from collections import deque
from concurrent.futures import Future
from time import monotonic, perf_counter

from sightline._publish.connector import Connector
from sightline._publish.event_queue import EventQueue
from sightline._publish.publish_failure import PublishFailure, classify_failure
from sightline._publish.stream_connection import StreamState
from sightline._settings.metrics import Metrics

HEARTBEAT_INTERVAL = 10.0
_BATCH_EVENTS = 256
_BATCH_BYTES = 512 * 1024
_LINGER = 0.1
_PROMPT_SECONDS = 60.0
_RETRY_PAUSE = 0.2


class Sender:
    """The publisher's thread: writes events, moves them to the stream, oldest first, one batch at a time, and says every ten
    seconds that the producer is alive. What did not arrive goes back into the queue. Nothing here waits without a limit."""

    def __init__(self, producer_id: str, queue: EventQueue, connector: Connector, metrics: Metrics) -> None:
        self._producer_id = producer_id
        self._queue = queue
        self._connector = connector
        self._metrics = metrics
        self._signal = threading.Event()
        self._hurry = threading.Event()
        self._probes: deque[Future[StreamState]] = deque()
        self._next_beat = monotonic() + HEARTBEAT_INTERVAL
        self._closes_at: float | None = None
        self._prompt_until = 0.0
        self.done = threading.Event()
        """Set when nothing is left or the deadline of the close has passed."""

    def wake(self) -> None:
        """Something is queued: it is sent soon, together with what follows."""
        if not self._signal.is_set():
            self._signal.set()

    def probe(self) -> Future[StreamState]:
        """Connects, looks at the stream and sends what is queued, at once; the future fails with a PublishFailure."""
        future: Future[StreamState] = Future()
        self._probes.append(future)
        self._hasten()
        return future

    def stop_lingering(self) -> None:
        """For a minute each event is sent by itself if no other is there. An application that is asked to end may not do so."""
        self._prompt_until = monotonic() + _PROMPT_SECONDS

    def close(self, deadline: float) -> None:
        """Sends what is left, again and again while Redis refuses, for at most `deadline` seconds."""
        self._closes_at = monotonic() + deadline
        self._hasten()

    def run(self) -> None:
        try:
            while not self._is_over():
                self._wait()
                self._turn_safely()
        finally:
            self._connector.disconnect()
            self.done.set()

    def _hasten(self) -> None:
        self._hurry.set()
        self._signal.set()

    def _is_over(self) -> bool:
        closes_at = self._closes_at
        return closes_at is not None and (self._queue.events == 0 or monotonic() >= closes_at)

    def _wait(self) -> None:
        now = monotonic()
        if self._closes_at is not None:
            if self._connector.failure is not None:
                time.sleep(max(0.0, min(_RETRY_PAUSE, self._closes_at - now)))
            return
        is_backing_off = self._connector.failure is not None and self._queue.events > 0
        until = min(self._next_beat, self._connector.resumes_at) if is_backing_off else self._next_beat
        if self._signal.wait(max(0.0, until - now)) and monotonic() >= self._prompt_until:
            # Events of the next 100 ms go in the same batch; a probe or a close does not wait for them.
            self._hurry.wait(_LINGER)
        self._signal.clear()

    def _turn_safely(self) -> None:
        """What nobody expected ends a turn, never the thread."""
        try:
            self._turn()
        except Exception as error:
            self._connector.failed(classify_failure(error))

    def _turn(self) -> None:
        self._hurry.clear()
        is_beat = monotonic() >= self._next_beat
        if is_beat:
            self._next_beat = monotonic() + HEARTBEAT_INTERVAL
            self._queue.add("producer.heartbeat", self.report, 0)
        self._queue.write(_BATCH_EVENTS, _BATCH_BYTES)
        probes = [self._probes.popleft() for _ in range(len(self._probes))]
        if probes or self._closes_at is not None or monotonic() >= self._connector.resumes_at:
            self._drain()
        if probes or (is_beat and self._connector.failure is None):
            self._answer(probes)

    def report(self, sequence: int) -> dict[str, object]:
        """The last number that was given is the report's own."""
        dropped = dict(self._metrics.dropped)
        return {"last_seq": sequence, "dropped": dropped} if dropped else {"last_seq": sequence}

    def _drain(self) -> None:
        while self._queue.events > 0 and self._send_batch():
            self._queue.write(_BATCH_EVENTS, _BATCH_BYTES)
            if self._closes_at is not None and monotonic() >= self._closes_at:
                return

    def _send_batch(self) -> bool:
        try:
            connection = self._connector.connect()
            if self._queue.is_version_due():
                read_at = monotonic()
                self._queue.learn_version(connection.contents_version(), read_at)
        except Exception as error:
            self._connector.failed(classify_failure(error))
            return False
        # After a failure one event tests the water.
        batch = self._queue.take(1 if self._connector.failure else _BATCH_EVENTS, _BATCH_BYTES)
        started_at = perf_counter()
        unsent, failure = connection.append(batch, self._producer_id) if batch else ([], None)
        self._queue.settle(batch, unsent)
        self._metrics.published += len(batch) - len(unsent)
        if failure is not None:
            self._connector.failed(failure)
            return False
        self._metrics.round_trip_seconds.observe(perf_counter() - started_at)
        self._connector.succeeded()
        return True

    def _answer(self, probes: list[Future[StreamState]]) -> None:
        """Looks at the stream for the metrics, and for whoever asked."""
        failure: PublishFailure
        try:
            if self._connector.failure is not None:
                raise self._connector.failure
            state = self._connector.connect().inspect()
        except Exception as error:
            failure = classify_failure(error)
            if failure is not self._connector.failure:
                self._connector.failed(failure)
            for probe in probes:
                probe.set_exception(failure)
            return
        self._metrics.stream_length = state.length
        self._metrics.consumer_alive = state.consumer_alive
        self._metrics.consumer_lag_seconds = state.lag_seconds
        for probe in probes:
            probe.set_result(state)

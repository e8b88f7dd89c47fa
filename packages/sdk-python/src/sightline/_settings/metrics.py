from __future__ import annotations

import threading
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence

PUBLISH_BOUNDS = (0.000_01, 0.000_025, 0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.002, 0.005, 0.01, 0.05)
ROUND_TRIP_BOUNDS = (0.000_5, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.0)


class Histogram:
    def __init__(self, bounds: Sequence[float]) -> None:
        self.bounds = bounds
        self.counts = [0] * (len(bounds) + 1)
        self.sum = 0.0

    def observe(self, seconds: float) -> None:
        """Counted without a lock: two threads at once may lose a measurement, never an event."""
        self.sum += seconds
        self.counts[bisect_left(self.bounds, seconds)] += 1


class Metrics:
    """What the SDK measures about itself. One per process; a publisher that is replaced goes on counting here."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self.published = 0
        self.dropped: dict[str, int] = {}
        self.publish_seconds = Histogram(PUBLISH_BOUNDS)
        self.round_trip_seconds = Histogram(ROUND_TRIP_BOUNDS)
        self.stream_length: int | None = None
        self.consumer_lag_seconds: float | None = None
        self.consumer_alive: bool | None = None
        self.buffered: Callable[[], tuple[int, int]] = lambda: (0, 0)
        """Events and bytes that wait in this process."""

    def count_dropped(self, reason: str, count: int) -> None:
        if count > 0:
            with self._lock:
                self.dropped[reason] = self.dropped.get(reason, 0) + count

    def format(self) -> str:
        """The Prometheus text format. What was never measured has no sample, so that an alert does not read it as zero."""
        events, held = self.buffered()
        alive = None if self.consumer_alive is None else int(self.consumer_alive)
        dropped = [f'studio_events_dropped_total{{reason="{reason}"}} {count}' for reason, count in list(self.dropped.items())]
        lines = [
            *_family(
                "studio_events_published_total",
                "counter",
                "Events that Redis has confirmed.",
                [f"studio_events_published_total {self.published}"],
            ),
            *_family("studio_events_dropped_total", "counter", "Events that will not arrive, by reason.", dropped),
            *_histogram(
                "studio_event_publish_duration_seconds",
                "Time a publish takes on the caller's thread.",
                self.publish_seconds,
            ),
            *_histogram("studio_event_round_trip_seconds", "Time until Redis confirmed a batch.", self.round_trip_seconds),
            *_gauge("studio_stream_length", "Entries in the stream.", self.stream_length),
            *_gauge("studio_consumer_lag_seconds", "Age of the first entry no consumer has read.", self.consumer_lag_seconds),
            *_gauge("studio_consumer_heartbeat", "1 while a consumer is alive.", alive),
            *_gauge("studio_buffered_events", "Events waiting in this process.", events),
            *_gauge("studio_buffered_bytes", "Bytes of events waiting in this process.", held),
        ]
        return "\n".join([*lines, ""])


def _family(name: str, kind: str, about: str, samples: Iterable[str]) -> list[str]:
    return [f"# HELP {name} {about}", f"# TYPE {name} {kind}", *samples]


def _gauge(name: str, about: str, value: float | None) -> list[str]:
    return _family(name, "gauge", about, [] if value is None else [f"{name} {value}"])


def _histogram(name: str, about: str, measured: Histogram) -> list[str]:
    below = 0
    buckets = []
    counts = list(measured.counts)
    for bound, count in zip(measured.bounds, counts, strict=False):
        below += count
        buckets.append(f'{name}_bucket{{le="{bound}"}} {below}')
    total = sum(counts)
    tail = [f'{name}_bucket{{le="+Inf"}} {total}', f"{name}_sum {measured.sum}", f"{name}_count {total}"]
    return _family(name, "histogram", about, [*buckets, *tail])

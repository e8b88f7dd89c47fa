from __future__ import annotations

import time
from typing import Any, NamedTuple

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from sightline._event.event_text import EVENT_VERSION
from sightline._publish.buffered_event import StreamEntry
from sightline._publish.publish_failure import PublishFailure, classify_failure
from sightline._settings.settings import Settings

HEARTBEAT_KEY = "studio:consumer:heartbeat"


class AppendOutcome(NamedTuple):
    unsent: list[StreamEntry]
    """What Redis did not confirm, in the order it was given."""
    failure: PublishFailure | None


class StreamState(NamedTuple):
    length: int
    consumer_alive: bool
    lag_seconds: float


class StreamConnection:
    """One connection to one Redis. It is thrown away on the first sign of trouble, never repaired. Every answer that is waited
    for has a time-out of `timeout` seconds."""

    def __init__(self, settings: Settings, timeout: float) -> None:
        self._stream = settings.stream_name
        self._project = settings.project_id
        self._max_length = settings.max_stream_length
        self._client = redis.Redis.from_url(
            settings.redis_url,
            socket_timeout=timeout,
            socket_connect_timeout=timeout,
            retry=Retry(NoBackoff(), 0),
            retry_on_error=[],
            health_check_interval=0,
            max_connections=1,
            client_name="sightline-sdk",
            protocol=2,
            decode_responses=False,
        )
        try:
            self._client.ping()
        except Exception as error:
            self.close()
            raise classify_failure(error) from None

    def append(self, entries: list[StreamEntry], producer_id: str) -> AppendOutcome:
        try:
            pipeline = self._client.pipeline(transaction=False)
            for entry in entries:
                event = entry.source
                pipeline.execute_command(
                    "XADD", self._stream, "MAXLEN", "~", self._max_length, "*",
                    "v", EVENT_VERSION, "id", event.id, "type", event.type, "project_id", self._project,
                    "producer_id", producer_id, "seq", event.seq, "ts", event.ts, "body", entry.body,
                )  # fmt: skip
            results = pipeline.execute(raise_on_error=False)
        except Exception as error:
            return AppendOutcome(entries, classify_failure(error))
        refused = [
            (entry, result) for entry, result in zip(entries, results, strict=True) if isinstance(result, Exception)
        ]
        failure = classify_failure(refused[0][1]) if refused else None
        return AppendOutcome([entry for entry, _ in refused], failure)

    def inspect(self) -> StreamState:
        try:
            return self._inspect()
        except Exception as error:
            raise classify_failure(error) from None

    def _inspect(self) -> StreamState:
        client = self._client
        length = int(client.execute_command("XLEN", self._stream))
        alive = client.execute_command("EXISTS", HEARTBEAT_KEY) == 1
        groups = _delivered_identifiers(client, self._stream) if length > 0 else []
        now = _server_time(client)
        lag = 0.0
        for delivered in groups or [b"0-0"]:
            first = client.execute_command("XRANGE", self._stream, b"(" + delivered, "+", "COUNT", 1)
            if first:
                lag = max(lag, now - int(first[0][0].split(b"-")[0]) / 1000)
        return StreamState(length, alive, lag)

    def close(self) -> None:
        try:
            self._client.connection_pool.disconnect()
        except Exception:
            pass


def _delivered_identifiers(client: redis.Redis, stream: str) -> list[bytes]:
    groups: Any = client.execute_command("XINFO GROUPS", stream)
    return [bytes(group.get("last-delivered-id", b"0-0")) for group in groups]


def _server_time(client: redis.Redis) -> float:
    answer: Any = client.execute_command("TIME")
    seconds, microseconds = answer if isinstance(answer, (list, tuple)) else (time.time(), 0)
    return float(seconds) + float(microseconds) / 1e6

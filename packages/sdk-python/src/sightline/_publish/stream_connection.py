from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import redis
from redis.backoff import NoBackoff
from redis.connection import ConnectionPool
from redis.retry import Retry

from sightline._event.event_text import EVENT_VERSION
from sightline._publish.buffered_event import StreamEntry
from sightline._publish.publish_failure import PublishFailure, classify_failure
from sightline._settings.settings import Settings

HEARTBEAT_KEY = "studio:consumer:heartbeat"
PROJECTS_KEY = HEARTBEAT_KEY + ":projects"
"""The ids of all projects; not there when the platform is older."""
_CLIENT_NAME = "sightline-sdk"

Command = tuple[Any, ...]


class AppendOutcome(NamedTuple):
    unsent: list[StreamEntry]
    """What Redis did not confirm, in the order it was given."""
    failure: PublishFailure | None


class StreamState(NamedTuple):
    length: int
    consumer_alive: bool
    lag_seconds: float
    is_project_missing: bool
    """The platform says which projects there are, and this is none of them."""


def entry_fields(entry: StreamEntry, project_id: str, producer_id: str) -> tuple[Any, ...]:
    """An event as the flat fields of a stream entry, in the order of the schema's vectors."""
    event = entry.source
    names = ("v", EVENT_VERSION, "id", event.id, "type", event.type, "project_id", project_id)
    return (*names, "producer_id", producer_id, "seq", event.seq, "ts", event.ts, "body", entry.body)


class StreamConnection:
    """One connection to one Redis. It is thrown away on the first sign of trouble, never repaired, as a repaired one may lead to
    another or an emptied Redis without anybody noticing. Nothing waits longer than `timeout` seconds for an answer."""

    def __init__(self, settings: Settings, timeout: float) -> None:
        self._stream = settings.stream_name
        self._project = settings.project_id
        self._trim = ("MAXLEN", "~", settings.max_stream_length)
        self._connection = _make_connection(settings.redis_url, timeout)
        try:
            self._connection.connect()
        except Exception as error:
            self.close()
            raise classify_failure(error) from None
        self._is_named = False

    def append(self, entries: list[StreamEntry], producer_id: str) -> AppendOutcome:
        commands = [
            ("XADD", self._stream, *self._trim, "*", *entry_fields(entry, self._project, producer_id)) for entry in entries
        ]
        try:
            answers = self._call(commands)
        except Exception as error:
            return AppendOutcome(entries, classify_failure(error))
        refused = [(entry, answer) for entry, answer in zip(entries, answers, strict=True) if isinstance(answer, Exception)]
        return AppendOutcome([entry for entry, _ in refused], classify_failure(refused[0][1]) if refused else None)

    def inspect(self) -> StreamState:
        try:
            return self._inspect()
        except Exception as error:
            raise classify_failure(error) from None

    def close(self) -> None:
        try:
            self._connection.disconnect()
        except Exception:
            # It is thrown away, whatever state it is in.
            pass

    def _inspect(self) -> StreamState:
        stream = self._stream
        member = ("SISMEMBER", PROJECTS_KEY, self._project.lower())
        length, alive, time, groups, is_member, is_told = self._call(
            [
                ("XLEN", stream),
                ("EXISTS", HEARTBEAT_KEY),
                ("TIME",),
                ("XINFO", "GROUPS", stream),
                member,
                ("EXISTS", PROJECTS_KEY),
            ]
        )
        for answer in (length, alive, time):
            if isinstance(answer, Exception):
                raise answer
        # A stream that does not exist yet has no groups.
        delivered = [] if isinstance(groups, Exception) else [_last_delivered(group) for group in groups]
        now = int(time[0]) + int(time[1]) / 1e6
        firsts = self._call([("XRANGE", stream, b"(" + each, "+", "COUNT", 1) for each in delivered or [b"0-0"]])
        waiting = [int(first[0][0].split(b"-")[0]) / 1000 for first in firsts if isinstance(first, list) and first]
        lag = max((now - since for since in waiting), default=0.0)
        # A Redis user that may do nothing but publish is refused both, and then nothing is known to be missing.
        return StreamState(length, alive == 1, lag, is_member == 0 and is_told == 1)

    def _call(self, commands: Sequence[Command]) -> list[Any]:
        """Sends all at once and reads an answer for each, refusals among them. The first call names the connection, too."""
        connection = self._connection
        naming = [] if self._is_named else [("CLIENT", "SETNAME", _CLIENT_NAME)]
        connection.send_packed_command(connection.pack_commands([*naming, *commands]))
        answers = [_read_answer(connection) for _ in range(len(naming) + len(commands))]
        self._is_named = True
        return answers[len(naming) :]


def _make_connection(url: str, timeout: float) -> Any:
    options: dict[str, Any] = {
        "socket_timeout": timeout,
        "socket_connect_timeout": timeout,
        "retry": Retry(NoBackoff(), 0),
        "health_check_interval": 0,
        "protocol": 2,
        "decode_responses": False,
    }
    # CLIENT SETINFO would cost two round trips; the option that disables it depends on redis-py's version.
    try:
        return ConnectionPool.from_url(url, **options, driver_info=None).make_connection()
    except TypeError:
        return ConnectionPool.from_url(url, **options, lib_name=None, lib_version=None).make_connection()


def _read_answer(connection: Any) -> Any:
    try:
        return connection.read_response()
    except redis.ResponseError as refusal:
        return refusal


def _last_delivered(group: list[Any]) -> bytes:
    """Reads one group's flat list of names and values."""
    return bytes(group[group.index(b"last-delivered-id") + 1])

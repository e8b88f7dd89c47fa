from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from time import monotonic
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import redis
from redis.backoff import NoBackoff
from redis.connection import ConnectionPool
from redis.exceptions import MovedError
from redis.retry import Retry

from sightline._publish.publish_failure import PublishFailure, classify_failure

_CLIENT_NAME = "sightline-sdk"

Command = tuple[Any, ...]
Write = Callable[[Any], Iterable[bytes]]
"""Writes commands for a connection as they go over it."""


class RedisNodes:
    """The servers that a producer has to do with, each with one connection: a Redis, or of a Redis Cluster the few nodes that
    have its keys. A node says itself which other one has a key (`MOVED`); that is all a producer needs of a cluster, and a
    client for clusters would repair connections behind its back."""

    def __init__(self, redis_url: str, timeout: float) -> None:
        """Connects to one of the addresses, which are separated by commas in the URL. Raises a PublishFailure."""
        self._timeout = timeout
        self._connections: dict[str, Any] = {}
        self._named: set[str] = set()
        self._homes: dict[str, str] = {}
        self._first = self._open_first(addresses_of(redis_url))

    def run(self, key: str, commands: Sequence[Command]) -> list[Any]:
        """Runs commands at the node that has the key, which is the first one's, and reads an answer for each, refusals among
        them. When the key has moved since the last time, it raises a PublishFailure."""
        return self._run(key, lambda connection: connection.pack_commands(commands), len(commands))

    def run_written(self, key: str, commands: bytes, count: int) -> list[Any]:
        """The same for so many commands that are written as they go to Redis."""
        return self._run(key, lambda _connection: [commands], count)

    def _run(self, key: str, write: Write, count: int) -> list[Any]:
        home = self._homes.get(key)
        url = home or self._first
        answers = self._call(url, write, count)
        moved = _moved_to(answers[0], url)
        if moved is None:
            self._homes[key] = url
            return answers
        if home is not None:
            # What was sent to the old node may be gone.
            raise PublishFailure("disconnected", "the stream has moved to another node of the Redis Cluster")
        self._homes[key] = moved
        return self._call(moved, write, count)

    def close(self) -> None:
        for connection in self._connections.values():
            _disconnect(connection)

    def _open_first(self, urls: Sequence[str]) -> str:
        ends_at = monotonic() + self._timeout
        failure: PublishFailure | None = None
        for url in urls:
            try:
                self._connection_at(url)
            except PublishFailure as error:
                failure = failure or error
                if monotonic() >= ends_at:
                    break
            else:
                return url
        raise failure or PublishFailure("unreachable", "Redis cannot be reached")

    def _connection_at(self, url: str) -> Any:
        connection = self._connections.get(url)
        if connection is None:
            connection = _make_connection(url, self._timeout)
            try:
                connection.connect()
            except Exception as error:
                _disconnect(connection)
                raise classify_failure(error) from None
            self._connections[url] = connection
        return connection

    def _call(self, url: str, write: Write, count: int) -> list[Any]:
        """Sends all at once. The first call of a connection names it, too."""
        connection = self._connection_at(url)
        naming = [] if url in self._named else [("CLIENT", "SETNAME", _CLIENT_NAME)]
        connection.send_packed_command([*connection.pack_commands(naming), *write(connection)])
        answers = [_read_answer(connection) for _ in range(len(naming) + count)]
        self._named.add(url)
        return answers[len(naming) :]


def addresses_of(redis_url: str) -> list[str]:
    """The nodes that the URL names, in any order: it need not be the same one that all producers ask first."""
    parts = urlsplit(redis_url)
    user, at, hosts = parts.netloc.rpartition("@")
    addresses = [urlunsplit(parts._replace(netloc=f"{user}{at}{host.strip()}")) for host in hosts.split(",")]
    start = random.randrange(len(addresses))
    return addresses[start:] + addresses[:start]


def _moved_to(answer: Any, asked: str) -> str | None:
    """The address of the node that has the key, when this one has not: with the credentials and options of the one that was
    asked."""
    if not isinstance(answer, MovedError):
        return None
    parts = urlsplit(asked)
    user, at, _ = parts.netloc.rpartition("@")
    host = answer.host or parts.hostname or ""
    place = f"[{host}]" if ":" in host else host
    return urlunsplit(parts._replace(netloc=f"{user}{at}{place}:{answer.port}"))


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


def _disconnect(connection: Any) -> None:
    try:
        connection.disconnect()
    except Exception:
        # It is thrown away, whatever state it is in.
        pass

from __future__ import annotations

from typing import Any, NamedTuple

from redis.exceptions import MovedError, NoPermissionError

from sightline._publish.buffered_event import StreamEntry
from sightline._publish.entry_writer import write_entries, write_words
from sightline._publish.partitions import MAX_PARTITIONS, contents_version_key, partition_count_key, partition_key_of
from sightline._publish.publish_failure import PublishFailure, classify_failure
from sightline._publish.redis_nodes import Command, RedisNodes
from sightline._publish.sent_contents import Version
from sightline._settings.settings import Settings

HEARTBEAT_KEY = "studio:consumer:heartbeat"
PROJECTS_KEY = HEARTBEAT_KEY + ":projects"
"""The ids of all projects; not there when the platform is older."""


class AppendOutcome(NamedTuple):
    unsent: list[StreamEntry]
    """What Redis did not confirm, in the order it was given."""
    failure: PublishFailure | None


class StreamState(NamedTuple):
    length: int
    """Entries of the partition that this producer's events go to."""
    consumer_alive: bool | None
    """None while the node of a cluster that knows it does not answer."""
    lag_seconds: float
    is_project_missing: bool
    """The platform says which projects there are, and this is none of them."""


class StreamConnection:
    """One connection to one Redis. It is thrown away on the first sign of trouble, never repaired, as a repaired one may lead to
    another or an emptied Redis without anybody noticing. Nothing waits longer than `timeout` seconds for an answer."""

    def __init__(self, settings: Settings, producer_id: str, partitions: int | None, timeout: float) -> None:
        """`partitions` is how many there were when this producer first connected: all its events go to the same one."""
        self._stream = settings.stream_name
        self._project = settings.project_id
        self._producer_id = producer_id
        self._max_length = settings.max_stream_length
        self._nodes = RedisNodes(settings.redis_url, timeout)
        try:
            self.partitions = partitions or self._count_partitions()
        except Exception as error:
            self.close()
            raise classify_failure(error) from None

    def append(self, entries: list[StreamEntry], producer_id: str) -> AppendOutcome:
        """Adds entries to their producer's partition."""
        key = self._key_of(producer_id)
        add = write_words("XADD", key, "MAXLEN", "~", self._max_length, "*")
        commands = write_entries(entries, add, self._project, producer_id)
        try:
            answers = self._nodes.run_written(key, commands, len(entries))
        except Exception as error:
            return AppendOutcome(entries, classify_failure(error))
        refused = [(entry, answer) for entry, answer in zip(entries, answers, strict=True) if isinstance(answer, Exception)]
        return AppendOutcome([entry for entry, _ in refused], classify_failure(refused[0][1]) if refused else None)

    def contents_version(self) -> Version:
        partition = self._key_of(self._producer_id)
        return self._read_if_allowed(partition, contents_version_key(partition, self._project))

    def inspect(self) -> StreamState:
        try:
            return self._inspect()
        except Exception as error:
            raise classify_failure(error) from None

    def close(self) -> None:
        self._nodes.close()

    def _key_of(self, producer_id: str) -> str:
        return partition_key_of(self._stream, producer_id, self.partitions)

    def _count_partitions(self) -> int:
        """One where nobody says otherwise: the platform is older, or this Redis user may publish and nothing more."""
        key = partition_count_key(self._stream)
        told = self._read_if_allowed(key, key)
        count = int(told) if isinstance(told, bytes) and told.isdigit() else 1
        return count if 1 <= count <= MAX_PARTITIONS else 1

    def _read_if_allowed(self, home: str, key: str) -> Version:
        """What a key holds that lies where `home` does; unknown where this Redis user may publish and nothing more."""
        (value,) = self._nodes.run(home, [("GET", key)])
        if isinstance(value, NoPermissionError):
            return "unknown"
        if isinstance(value, Exception):
            raise value
        return None if value is None else bytes(value)

    def _inspect(self) -> StreamState:
        key = self._key_of(self._producer_id)
        of_stream: list[Command] = [("XLEN", key), ("TIME",), ("XINFO", "GROUPS", key)]
        of_projects: list[Command] = [("SISMEMBER", PROJECTS_KEY, self._project.lower()), ("EXISTS", PROJECTS_KEY)]
        answers = self._nodes.run(key, [*of_stream, ("EXISTS", HEARTBEAT_KEY), *of_projects])
        length, time, groups = answers[:3]
        (alive,) = self._or_elsewhere(answers[3:4], HEARTBEAT_KEY, [("EXISTS", HEARTBEAT_KEY)])
        for answer in (length, time, alive):
            if isinstance(answer, Exception):
                raise answer
        is_member, is_told = self._or_elsewhere(answers[4:], PROJECTS_KEY, of_projects)
        # A stream that does not exist yet has no groups.
        delivered = [] if isinstance(groups, Exception) else [_last_delivered(group) for group in groups]
        now = int(time[0]) + int(time[1]) / 1e6
        firsts = self._nodes.run(key, [("XRANGE", key, b"(" + each, "+", "COUNT", 1) for each in delivered or [b"0-0"]])
        waiting = [int(first[0][0].split(b"-")[0]) / 1000 for first in firsts if isinstance(first, list) and first]
        lag = max((now - since for since in waiting), default=0.0)
        # A Redis user that may do nothing but publish is refused both, and then nothing is known to be missing.
        return StreamState(length, None if alive is None else alive == 1, lag, is_member == 0 and is_told == 1)

    def _or_elsewhere(self, answers: list[Any], key: str, commands: list[Command]) -> list[Any]:
        """The answers of the stream's own node, or where that has not the key those of the node that has it; None for each while
        that one does not answer: events go on without it."""
        if not isinstance(answers[0], MovedError):
            return answers
        try:
            return self._nodes.run(key, commands)
        except Exception:
            return [None for _ in commands]


def _last_delivered(group: list[Any]) -> bytes:
    """Reads one group's flat list of names and values."""
    return bytes(group[group.index(b"last-delivered-id") + 1])

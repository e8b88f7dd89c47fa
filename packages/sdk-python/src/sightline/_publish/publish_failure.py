from __future__ import annotations

import re
import socket
from typing import Literal

import redis
from redis.exceptions import AskError, AuthenticationError, AuthorizationError, ClusterDownError, TryAgainError

FailureReason = Literal[
    "unreachable", "timeout", "authentication", "out_of_memory", "wrong_type", "read_only", "rejected", "disconnected"
]

_REPLIES: tuple[tuple[re.Pattern[str], FailureReason, str], ...] = (
    (
        re.compile(r"WRONGPASS|NOAUTH|NOPERM|invalid (?:password|username)|Authentication required", re.IGNORECASE),
        "authentication",
        "Redis refuses the credentials",
    ),
    (re.compile(r"OOM|command not allowed when used memory"), "out_of_memory", "Redis is out of memory"),
    (
        re.compile(r"WRONGTYPE|Operation against a key holding the wrong kind"),
        "wrong_type",
        "the stream's key holds something else than a stream",
    ),
    (
        re.compile(r"READONLY|MISCONF|can't write against a read only|configured to save RDB"),
        "read_only",
        "Redis does not accept writes",
    ),
)


class PublishFailure(Exception):  # noqa: N818 -- A word of the house: it never leaves the SDK.
    """Why Redis did not take events. The message never carries the URL, which may hold a password."""

    def __init__(self, reason: FailureReason, message: str) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message


def classify_failure(error: BaseException) -> PublishFailure:
    if isinstance(error, PublishFailure):
        return error
    message = str(error)
    if isinstance(error, (AskError, ClusterDownError, TryAgainError)):
        return PublishFailure("disconnected", "the stream is on its way to another node of the Redis Cluster")
    if isinstance(error, (AuthenticationError, AuthorizationError)):
        return PublishFailure("authentication", "Redis refuses the credentials")
    for pattern, reason, meaning in _REPLIES:
        if isinstance(error, redis.RedisError) and pattern.search(message):
            return PublishFailure(reason, meaning)
    if isinstance(error, redis.ResponseError):
        return PublishFailure("rejected", f"Redis rejects events: {message[:200]}")
    if isinstance(error, (redis.TimeoutError, TimeoutError, socket.timeout)):
        return PublishFailure("timeout", "Redis does not answer")
    if isinstance(error, redis.ConnectionError) and isinstance(error.__cause__ or error.__context__, OSError):
        cause = error.__cause__ or error.__context__
        return PublishFailure("unreachable", f"Redis cannot be reached ({type(cause).__name__})")
    if isinstance(error, redis.ConnectionError) and message.startswith("Error "):
        return PublishFailure("unreachable", "Redis cannot be reached")
    return PublishFailure("disconnected", "the connection to Redis broke")

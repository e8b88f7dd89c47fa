from __future__ import annotations

import random
from collections.abc import Callable
from time import monotonic

from sightline._publish.publish_failure import PublishFailure
from sightline._publish.stream_connection import StreamConnection
from sightline._settings.warnings import Warnings

_FIRST_BACKOFF = 0.25
MAX_BACKOFF = 30.0


class Connector:
    """The way to Redis: one connection at a time, opened again when it broke, and a back-off that grows with each failure in a
    row. Belongs to the publisher's thread."""

    def __init__(
        self, open_connection: Callable[[], StreamConnection], on_opened: Callable[[], None], warnings: Warnings
    ) -> None:
        self._open = open_connection
        self._on_opened = on_opened
        self._warnings = warnings
        self._connection: StreamConnection | None = None
        self._failures = 0
        self.failure: PublishFailure | None = None
        """The last failure, until something succeeds."""
        self.resumes_at = 0.0
        """When the back-off ends, in seconds of the monotonic clock."""

    def connect(self) -> StreamConnection:
        """The open connection, or a new one. Raises a PublishFailure."""
        if self._connection is None:
            self._connection = self._open()
            self._on_opened()
        return self._connection

    def disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def succeeded(self) -> None:
        self._failures = 0
        self.failure = None

    def failed(self, failure: PublishFailure) -> None:
        self.disconnect()
        self._failures += 1
        self.failure = failure
        backoff = min(MAX_BACKOFF, _FIRST_BACKOFF * 2 ** min(self._failures - 1, 10))
        self.resumes_at = monotonic() + backoff * random.uniform(0.5, 1.0)
        self._warnings.say(failure.reason, f"{failure.message}; events wait in this process and the application goes on")

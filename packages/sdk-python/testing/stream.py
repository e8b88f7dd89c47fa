from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Any

from recording import PROJECT_ID, Recording
from redis_server import RedisServer

from sightline import Verification, close_redis_publisher, initialize_redis_publisher


@dataclass
class Stream:
    """A stream of the test's own, and how it is published to and read."""

    server: RedisServer
    name: str

    def initialize(self, **options: Any) -> Verification:
        quiet = logging.Logger("quiet")
        quiet.addHandler(logging.NullHandler())
        given = {"redis_url": self.server.url, "stream_name": self.name, "project_id": PROJECT_ID, "logger": quiet}
        return initialize_redis_publisher(**{**given, **options}).wait()

    def read(self) -> Recording:
        close_redis_publisher().wait()
        return Recording(self.server.client(), self.name)

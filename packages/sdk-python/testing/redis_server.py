"""A Redis of the test's own, which it may freeze, kill, fill and start again."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

import redis


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class RedisServer:
    """`TEST_REDIS_SERVER` names another program than the path's `redis-server`; it may be several words."""

    def __init__(self, *options: str) -> None:
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self._options = options
        self._folder = tempfile.mkdtemp(prefix="sightline-redis-")
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    def start(self) -> None:
        program = shlex.split(os.environ.get("TEST_REDIS_SERVER", "redis-server"))
        settings = ["--port", str(self.port), "--bind", "127.0.0.1", "--dir", self._folder, "--save", "", "--appendonly", "yes"]
        self._process = subprocess.Popen(
            [*program, *settings, *self._options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            try:
                self.client().ping()
            except redis.AuthenticationError:
                return
            except redis.RedisError:
                time.sleep(0.02)
            else:
                return
        raise RuntimeError("redis-server does not start")

    def client(self) -> redis.Redis:
        return redis.Redis.from_url(self.url, socket_timeout=5, socket_connect_timeout=5)

    def freeze(self) -> None:
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self._signal(signal.SIGCONT)

    def kill(self) -> None:
        self._signal(signal.SIGKILL)
        if self._process is not None:
            self._process.wait()
            self._process = None

    def stop(self) -> None:
        if self._process is not None:
            self.thaw()
            self.kill()
        shutil.rmtree(Path(self._folder), ignore_errors=True)

    def _signal(self, number: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(number)

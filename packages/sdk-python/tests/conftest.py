from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from recording import Recording
from redis_server import RedisServer
from stream import Stream

from sightline import close_redis_publisher
from sightline._client.state import state
from sightline._settings.metrics import Metrics


@pytest.fixture(scope="session")
def redis_server() -> Iterator[RedisServer]:
    server = RedisServer()
    yield server
    server.stop()


@pytest.fixture(autouse=True)
def _own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What one test's publisher leaves behind is no other's matter."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


@pytest.fixture
def idle_stream(redis_server: RedisServer) -> Iterator[Stream]:
    stream = Stream(redis_server, f"test:{uuid.uuid4()}")
    state.metrics = Metrics()
    state.capture_prompts = False
    yield stream
    close_redis_publisher().wait()
    redis_server.client().delete(stream.name)


@pytest.fixture
def stream(idle_stream: Stream) -> Stream:
    """With a publisher that is running."""
    assert idle_stream.initialize().ok
    return idle_stream


@pytest.fixture
def recorded(stream: Stream) -> Callable[[], Recording]:
    return stream.read

"""What is lost at a close while Redis is away is told by the next start."""

from __future__ import annotations

import json
import logging
import time
from pathlib import Path

import pytest
from recording import EVENTS, PROJECT_ID
from redis_server import free_port
from stream import Stream

from sightline import close_redis_publisher, trace

VECTOR = json.loads((EVENTS / "event-vectors.json").read_text())["unsent_goodbye"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "sightline-sdk"


def lose_events(stream: Stream, caplog: pytest.LogCaptureFixture) -> str:
    """A publisher whose Redis is away from its start to its end; what it warns of last."""
    logger = logging.getLogger("lossy")
    stream.initialize(redis_url=f"redis://:a-secret@127.0.0.1:{free_port()}", logger=logger)
    for _ in range(3):
        with trace("lost"):
            pass
    close_redis_publisher().wait()
    return caplog.records[-1].getMessage()


def test_the_next_publisher_says_goodbye_for_one_that_closed_while_redis_was_away(
    idle_stream: Stream, folder: Path, caplog: pytest.LogCaptureFixture
):
    lost = "ended with 8 events that the stream had not taken; they are lost, and the next start on this machine reports them"
    assert lost in lose_events(idle_stream, caplog)
    [file] = folder.iterdir()
    assert list(json.loads(file.read_text())) == list(VECTOR["content"])
    assert "secret" not in file.read_text()
    idle_stream.initialize()
    bye, *own = idle_stream.read().events
    assert f"{PROJECT_ID}.{bye['producer_id']}.json" == file.name
    assert (bye["type"], bye["seq"], bye["body"]) == ("producer.bye", 8, {"last_seq": 8, "dropped": {"closed": 8}})
    assert [event["type"] for event in own] == ["producer.hello", "producer.bye"]
    assert list(folder.iterdir()) == []


def test_what_any_sdk_left_is_said(idle_stream: Stream, folder: Path):
    folder.mkdir()
    name = VECTOR["file"].replace("PROJECT", PROJECT_ID)
    ts = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())
    (folder / name).write_text(json.dumps({**VECTOR["content"], "ts": ts}))
    others = [folder / VECTOR["file"].replace("PROJECT", project) for project in ("another", "one-that-never-starts")]
    others[0].write_text(json.dumps({**VECTOR["content"], "ts": ts}))
    others[1].write_text(json.dumps({**VECTOR["content"], "ts": "2020-01-01T00:00:00.000Z"}))
    idle_stream.initialize()
    said, *own = idle_stream.read().events
    assert said == {**VECTOR["event"], "project_id": PROJECT_ID, "ts": ts}
    assert [event["type"] for event in own] == ["producer.hello", "producer.bye"]
    assert list(folder.iterdir()) == others[:1]


def test_it_says_that_nothing_reports_them_where_it_cannot_write(
    idle_stream: Stream, folder: Path, caplog: pytest.LogCaptureFixture
):
    folder.write_text("not a folder")
    assert "ended with 8 events that the stream had not taken; they are lost, and nothing reports" in lose_events(
        idle_stream, caplog
    )

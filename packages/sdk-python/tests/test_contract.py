"""The contract's four operations, its variables and its limits, line by line."""

from __future__ import annotations

import asyncio
import inspect
import tomllib
from pathlib import Path
from typing import ClassVar

import pytest
from langgraph.graph import START, MessagesState, StateGraph
from recording import PROJECT_ID
from stream import Stream

import sightline
from sightline._settings.settings import Options, Settings, Unusable, read_settings


def parameters(operation):
    return inspect.signature(operation).parameters


def test_initialize_takes_what_the_contract_names_in_its_order():
    given = [
        name for name, each in parameters(sightline.initialize_redis_publisher).items() if each.kind is not each.KEYWORD_ONLY
    ]
    assert given == ["redis_url", "stream_name", "project_id", "max_stream_length", "verify_consumer"]
    assert parameters(sightline.initialize_redis_publisher)["max_stream_length"].default == 100_000


def test_the_other_operations_take_what_the_contract_names():
    assert list(parameters(sightline.wrap_llm_adapter)) == []
    assert list(parameters(sightline.close_redis_publisher)) == []
    assert list(parameters(sightline.create_traced_graph))[:2] == ["state_type", "trace_name"]


def test_the_sdk_is_version_0_5_0_as_the_package_says():
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
    assert sightline.__version__ == project["version"] == "0.5.0"
    assert project["requires-python"] == ">=3.11"


def test_the_verification_is_awaited_at_startup(idle_stream: Stream):
    async def start():
        return await sightline.initialize_redis_publisher(idle_stream.server.url, idle_stream.name, PROJECT_ID, 100_000, False)

    found = asyncio.run(start())
    assert (found.ok, found.enabled, found.redis, found.consumer) == (True, True, "up", "unchecked")


@pytest.mark.parametrize(("alive", "found"), [(True, (True, "up")), (False, (False, "down"))])
def test_verify_consumer_looks_for_the_heartbeat(idle_stream: Stream, alive, found):
    client = idle_stream.server.client()
    if alive:
        client.set("studio:consumer:heartbeat", "1", ex=30)
    verification = idle_stream.initialize(verify_consumer=True)
    client.delete("studio:consumer:heartbeat")
    assert (verification.ok, verification.consumer) == found


@pytest.mark.parametrize(("project", "ok"), [(PROJECT_ID, True), ("another", False)])
def test_verify_consumer_looks_for_the_project(idle_stream: Stream, project, ok):
    client = idle_stream.server.client()
    client.set("studio:consumer:heartbeat", "1", ex=30)
    client.sadd("studio:consumer:heartbeat:projects", project)
    verification = idle_stream.initialize(verify_consumer=True)
    client.delete("studio:consumer:heartbeat", "studio:consumer:heartbeat:projects")
    assert (verification.ok, verification.consumer) == (ok, "up")
    assert (verification.reason is None) == ok


def test_create_traced_graph_is_a_graph_builder(stream: Stream):
    graph = sightline.create_traced_graph(MessagesState, trace_name="support-agent")
    assert isinstance(graph, StateGraph)
    graph.add_node("answer", lambda state: {"messages": [("ai", "hello")]})
    graph.add_edge(START, "answer")
    graph.compile().invoke({"messages": []})
    recorded = stream.read()
    assert [trace["name"] for trace in recorded.traces] == ["support-agent"]
    assert recorded.tree == ["node answer < -"]


def test_max_stream_length_trims_the_stream(idle_stream: Stream):
    idle_stream.initialize(max_stream_length=200)
    for number in range(2000):
        with sightline.trace(str(number)):
            pass
    sightline.close_redis_publisher().wait()
    assert idle_stream.server.client().xlen(idle_stream.name) < 600


def test_the_metrics_are_those_of_the_contract(stream: Stream):
    with sightline.trace("t"):
        pass
    stream.read()
    text = sightline.metrics_text()
    names = (
        "events_published_total",
        "event_publish_duration_seconds_bucket",
        "stream_length",
        "consumer_lag_seconds",
        "consumer_heartbeat",
    )
    assert [name for name in names if f"\nstudio_{name}" not in text] == []
    assert "studio_events_published_total 4" in text


class TestSettings:
    REQUIRED: ClassVar = {"OBS_REDIS_URL": "redis://h:1", "OBS_PROJECT_ID": PROJECT_ID}

    def test_come_from_the_variables_with_the_contract_s_defaults(self):
        settings = read_settings(Options(), self.REQUIRED)
        assert isinstance(settings, Settings)
        assert settings.stream_name == "observability:events"
        assert (settings.capture_reasoning, settings.reasoning_max_length) == (True, 50_000)

    def test_of_the_caller_win(self):
        settings = read_settings(
            Options(stream_name="mine", capture_reasoning=False), {**self.REQUIRED, "OBS_STREAM_NAME": "theirs"}
        )
        assert isinstance(settings, Settings)
        assert (settings.stream_name, settings.capture_reasoning) == ("mine", False)

    @pytest.mark.parametrize("text", ["false", "0", "NO", " off "])
    def test_switch_it_off(self, text):
        assert read_settings(Options(), {**self.REQUIRED, "OBS_ENABLED": text}) == Unusable("switched off", switched_off=True)

    def test_that_are_wrong_are_all_named_at_once(self):
        wrong = {
            "OBS_REDIS_URL": "http://h",
            "OBS_PROJECT_ID": "7",
            "OBS_REASONING_MAX_LENGTH": "many",
            "OBS_CAPTURE_REASONING": "perhaps",
        }
        found = read_settings(Options(), wrong)
        assert isinstance(found, Unusable)
        for name in ("OBS_REDIS_URL", "OBS_PROJECT_ID", "OBS_REASONING_MAX_LENGTH", "OBS_CAPTURE_REASONING"):
            assert name in found.reason

    def test_never_raise(self, idle_stream: Stream):
        for wrong in (
            {"redis_url": 7},
            {"redis_url": "http://["},
            {"project_id": b"x"},
            {"max_stream_length": "x"},
            {"redis_url": None},
        ):
            found = idle_stream.initialize(**wrong)
            assert (found.ok, found.enabled) == (False, False)
        assert sightline.score("x", 1) is False

"""Every example runs as it stands, and what it is about arrives."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest
from model_server import model_server
from recording import PROJECT_ID
from redis_server import free_port
from stream import Stream

FOLDER = Path(__file__).parents[1]


@pytest.fixture
def environment(idle_stream: Stream):
    with model_server() as address:
        yield {
            **os.environ,
            "PYTHONPATH": f"{FOLDER / 'src'}:{FOLDER / 'examples'}",
            "OBS_REDIS_URL": idle_stream.server.url,
            "OBS_PROJECT_ID": PROJECT_ID,
            "OBS_STREAM_NAME": idle_stream.name,
            "OPENAI_API_KEY": "k",
            "OPENAI_BASE_URL": address,
            "ANTHROPIC_API_KEY": "k",
            "ANTHROPIC_BASE_URL": address,
            "BROKER_URL": idle_stream.server.url,
        }


@pytest.mark.parametrize(
    ("example", "said", "tree"),
    [
        (
            "plain",
            "ok=False, enabled=True, redis='up', consumer='down'",
            {"retriever find_documents < -", "tool query_orders < -"},
        ),
        ("langgraph_agent", "Your order is on its way.", {"node think < -", "node tools < -", "tool find_order < tools"}),
        ("create_agent", "Rome is warm.", {"node model < -"}),
        ("langchain_chain", "Short.", {"llm FakeListChatModel < -"}),
        ("openai_client", "Hello\nHello", {"llm openai.chat < -"}),
        ("anthropic_client", "tool_use", {"llm anthropic.messages < -"}),
    ],
)
def test_an_example_runs(idle_stream: Stream, environment, example: str, said: str, tree: set[str]):
    script = FOLDER / "examples" / f"{example}.py"
    done = subprocess.run([sys.executable, script], env=environment, capture_output=True, text=True, timeout=30)
    assert (done.returncode, done.stderr) == (0, "")
    assert said in done.stdout
    recorded = idle_stream.read()
    assert tree <= set(recorded.tree)
    assert len(recorded.traces) == len(recorded.trace_ends) == 1


def test_fastapi_with_workers(idle_stream: Stream, environment):
    port = free_port()
    command = [sys.executable, "-m", "uvicorn", "fastapi_app:app", "--port", str(port), "--workers", "2", "--log-level", "error"]
    server = subprocess.Popen(command, env=environment, cwd=FOLDER / "examples")
    address = f"http://127.0.0.1:{port}"
    try:
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            try:
                httpx.get(f"{address}/metrics")
                break
            except httpx.TransportError:
                time.sleep(0.1)
        for number in range(20):
            answer = httpx.get(f"{address}/ask", params={"question": f"q{number}", "user": "u-1"})
            assert answer.json() == {"answer": f"nobody knows about q{number}"}
        assert "studio_events_published_total" in httpx.get(f"{address}/metrics").text
    finally:
        server.terminate()
        server.wait(15)
    recorded = idle_stream.read()
    assert len(recorded.traces) == len(recorded.trace_ends) == 20
    assert {trace["user_id"] for trace in recorded.traces} == {"u-1"}
    assert set(recorded.tree) == {"span answer < -"}


def test_workers_of_celery(idle_stream: Stream, environment):
    command = [sys.executable, "-m", "celery", "-A", "celery_worker", "worker", "--concurrency", "2", "--loglevel", "error"]
    worker = subprocess.Popen(
        command, env=environment, cwd=FOLDER / "examples", stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL
    )
    try:
        code = "from celery_worker import square; [square.delay(n) for n in range(30)]"
        subprocess.run([sys.executable, "-c", code], env={**environment, "OBS_ENABLED": "false"}, check=True, timeout=20)
        deadline = time.monotonic() + 20
        client = idle_stream.server.client()
        while client.xlen(idle_stream.name) < 120 and time.monotonic() < deadline:
            time.sleep(0.1)
    finally:
        worker.terminate()
        worker.wait(20)
    recorded = idle_stream.read()
    assert sorted(trace["input"] for trace in recorded.traces) == list(range(30))
    assert len(recorded.trace_ends) == 30
    assert len({event["producer_id"] for event in recorded.events if event["type"] == "trace.start"}) == 2

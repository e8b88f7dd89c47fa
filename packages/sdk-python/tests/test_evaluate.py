"""An evaluation's own parts; with the platform it is tried by `experiments/python-evaluate.test.ts`."""

from __future__ import annotations

import asyncio
import inspect
import io
import json
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from functools import partial
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from recording import PROJECT_ID

import sightline
from sightline import EvaluationError
from sightline._evaluate import api
from sightline._evaluate import reporter as reporter_module
from sightline._evaluate.calls import RunTimeoutError, call
from sightline._evaluate.console import Teller
from sightline._evaluate.git import read_checkout
from sightline._evaluate.json_values import TooLargeError, to_json
from sightline._evaluate.reporter import Reporter
from sightline._evaluate.run_item import is_unavailable
from sightline._evaluate.unreported import keep_unreported, read_unreported


class Terminal(io.StringIO):
    def isatty(self):
        return True


@dataclass
class Order:
    number: int
    note: object = None


class Unreadable:
    def __repr__(self):
        raise ValueError


def test_outputs_become_json():
    circle: list[object] = []
    circle.append(circle)
    assert to_json({"a": (1, None)}) == ({"a": [1, None]}, None)
    assert to_json(Order(1)) == ({"number": 1, "note": None}, None)
    assert to_json({"order": Order(1, {2})}) == ({"order": {"number": 1, "note": "{2}"}}, "set")
    assert to_json(circle) == ("[[...]]", "list")
    assert to_json(float("nan")) == ("nan", "nan")
    assert to_json([Unreadable()]) == (["[unreadable Unreadable]"], "Unreadable")
    with pytest.raises(TooLargeError, match="1,000,002 bytes"):
        to_json("é" * 500_000)


def test_providers_that_can_not_now():
    outer = ValueError("no answer")
    outer.__cause__ = type("APIStatusError", (Exception,), {"status_code": 529})()
    assert is_unavailable(outer)


def test_every_kind_of_function_is_called_and_ended_in_time():
    async def later(given):
        await asyncio.sleep(0)
        return given

    class Agent:
        async def __call__(self, given):
            return given

    def stops(_given):
        raise StopIteration

    for function in (later, Agent(), partial(later), lambda given: later(given), lambda given: given):
        assert asyncio.run(call(function, 1, 7)) == 7
    began = time.monotonic()
    for function in (time.sleep, asyncio.sleep):
        with pytest.raises(RunTimeoutError, match=r"longer than 0.05 s"):
            asyncio.run(call(function, 0.05, 3))
    assert time.monotonic() - began < 1
    with pytest.raises(RuntimeError, match="StopIteration"):
        asyncio.run(call(stops, 1, 7))


def test_the_checkout(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("OBS_COMMIT", "GITHUB_HEAD_REF", "GITHUB_REF_NAME"):
        monkeypatch.delenv(name, raising=False)
    assert read_checkout()[1:] == (None, False)

    def git(*arguments):
        who = ("-c", "user.name=n", "-c", "user.email=n@example.org")
        subprocess.run(["git", *who, *arguments], check=True, capture_output=True)

    git("init", "-b", "topic")
    (tmp_path / "a").write_text("1")
    git("add", "a")
    git("commit", "-m", "One")
    branch, commit, is_dirty = read_checkout()
    assert (branch, len(commit or ""), is_dirty) == ("topic", 40, False)
    (tmp_path / "a").write_text("2")
    git("checkout", "--detach")
    monkeypatch.setenv("GITHUB_REF_NAME", "main")
    assert read_checkout() == ("main", commit, True)
    monkeypatch.setenv("PATH", "")
    assert read_checkout() == ("main", None, False)


@pytest.mark.parametrize(
    ("output", "said"),
    [
        (
            Terminal(),
            "Sightline: 20 runs\n\rSightline: 1/20 runs\x1b[K\nSightline: odd\n\rSightline: 2/20 runs, 1\x1b[K\n",
        ),
        (io.StringIO(), "Sightline: 20 runs\nSightline: odd\nSightline: 2/20 runs, 1\n"),
    ],
)
def test_what_is_told_while_it_runs(monkeypatch, output, said):
    monkeypatch.setattr(sys, "stderr", output)
    teller = Teller()
    teller.say("20 runs")
    teller.progress(1, 20, "")
    teller.say("odd")
    teller.say("odd")
    teller.progress(2, 20, ", 1")
    teller.end_line()
    assert output.getvalue() == said
    monkeypatch.setattr(sys, "stderr", None)
    teller.progress(20, 20, "")


def test_runs_that_are_kept_are_read_again(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    path = keep_unreported("e-1", [{"item_id": "1"}, {"item_id": "2", "output": "\ud800"}])
    assert path.stat().st_mode & 0o777 == 0o600
    keep_unreported("e-1", [{"item_id": "3"}, {"item_id": "1"}])
    with path.open("a") as file:
        file.write('{"item_id": ')
    runs, paths = read_unreported("e-1")
    assert ([run["item_id"] for run in sorted(runs, key=str)], len(paths)) == (["1", "2", "3"], 2)
    assert read_unreported("e-2") == ([], [])


@pytest.fixture
def platform(monkeypatch):
    """Answers with the statuses that it is told, in turn, and keeps what it was sent."""
    monkeypatch.setattr(api, "FIRST_WAIT", 0.001)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            server.bodies.append(body)
            status = server.answer(body)
            self.send_response(status)
            self.end_headers()
            self.wfile.write(json.dumps({"error": "odd", "message": f"Odd {status}."}).encode())

        def do_GET(self):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps(server.found).encode())

        def log_message(self, *_given):
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    server.bodies = []
    threading.Thread(target=server.serve_forever, args=(0.01,)).start()
    server.api = api.Api(f"http://127.0.0.1:{server.server_port}", "k", PROJECT_ID)
    yield server
    server.shutdown()
    server.server_close()


def test_what_fails_for_now_is_tried_again(platform):
    statuses = iter([503, 429, 502, 200])
    platform.answer = lambda _body: next(statuses)
    platform.api.post("/x", {"a": 1})
    assert platform.bodies == [{"a": 1}] * 4
    platform.answer = lambda _body: 503
    with pytest.raises(EvaluationError, match="was asked 6 times and did not answer: 503"):
        platform.api.post("/x", {})
    platform.answer = lambda _body: 403
    with pytest.raises(EvaluationError, match=r"Odd 403. \(api_key or OBS_API_KEY is to be a key with the scope evaluate\)"):
        platform.api.post("/x", {})


def test_one_odd_run_costs_no_other(platform):
    platform.answer = lambda body: 400 if any(run.get("output") == "odd" for run in body["runs"]) else 200
    reporter = Reporter(platform.api, "", Teller())
    reporter.waiting = [
        {"item_id": str(number), "repetition": 0, "attempt": 1, "trace_id": None, "state": "succeeded", "output": output}
        for number, output in enumerate(["a", "odd", "b"])
    ]
    asyncio.run(reporter.flush())
    assert (reporter.waiting, reporter.failure) == ([], None)
    taken = [run for body in platform.bodies if platform.answer(body) == 200 for run in body["runs"]]
    assert [(run["item_id"], run["state"]) for run in taken] == [("0", "succeeded"), ("1", "failed"), ("2", "succeeded")]
    assert taken[1]["error"] == "it was refused: Odd 400."


def test_what_it_may_cost(platform, monkeypatch):
    monkeypatch.setattr(reporter_module, "BATCH_SECONDS", 0.001)
    reporter = Reporter(platform.api, "/experiments/e-1", Teller(), 4.0)

    async def until_over() -> None:
        working = asyncio.create_task(reporter.work())
        for cost in (None, 3.5, 4.25):
            assert not reporter.is_over
            platform.found = {"cost": cost}
            while reporter.cost != (cost or 0.0):  # noqa: ASYNC110
                await asyncio.sleep(0.001)
        working.cancel()

    platform.found = {"cost": None}
    asyncio.run(until_over())
    assert reporter.is_over


def test_what_it_is_called_with(monkeypatch):
    monkeypatch.delenv("OBS_API_URL", raising=False)
    monkeypatch.setenv("OBS_PROJECT_ID", "p")
    assert list(inspect.signature(sightline.evaluate).parameters)[:3] == ["task", "dataset", "evaluators"]
    assert list(inspect.signature(sightline.evaluate_experiment).parameters)[:2] == ["experiment", "evaluators"]
    with pytest.raises(EvaluationError, match=r"needs the platform's address .*, an API key .*, the project's id"):
        sightline.evaluate(str, "d")
    with pytest.raises(EvaluationError, match="a function of the item's input"):
        sightline.evaluate("no function", "d")
    with pytest.raises(EvaluationError, match="repetitions must be a whole number from 1 to 100"):
        sightline.evaluate(str, "d", repetitions=0)
    with pytest.raises(EvaluationError, match="max_cost must be dollars above 0"):
        sightline.evaluate(str, "d", max_cost=-1)
    with pytest.raises(EvaluationError, match="or give outputs that exist"):
        sightline.evaluate(str, "d", outputs={})
    with pytest.raises(EvaluationError, match="leave repetitions at 1"):
        sightline.evaluate(dataset="d", outputs={}, repetitions=2)

    async def inside() -> None:
        sightline.evaluate(str, "d")

    with pytest.raises(EvaluationError, match=r"await sightline\.aevaluate"):
        asyncio.run(inside())

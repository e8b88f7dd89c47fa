from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from recording import PROJECT_ID
from stream import Stream

from sightline import carry_trace, current_trace, observe, score, trace, trace_tool


def test_observations_nest_in_their_trace(stream: Stream):
    with trace("answer", thread_id="t-1", session_id="s", user_id="u", input={"q": 1}, attributes={"env": "test"}) as run:
        with observe("outer", attributes={"a": 1}) as outer:
            outer.update(b=2)
            with observe("inner", kind="retriever", input=["x"]) as inner:
                inner.output = {"found": 3}
        run.output = "done"
    recorded = stream.read()
    assert recorded.tree == ["span outer < -", "retriever inner < outer"]
    assert recorded.traces[0]["input"] == {"q": 1}
    assert {key: recorded.traces[0][key] for key in ("thread_id", "session_id", "user_id")} == {
        "thread_id": "t-1", "session_id": "s", "user_id": "u"}  # fmt: skip
    assert recorded.trace_ends[0] | {"output": "done", "status": "success"} == recorded.trace_ends[0]
    assert recorded.find("inner")[1]["output"] == {"found": 3}
    assert recorded.of_type("observation.update")[0]["attributes"] == {"b": 2}


def test_a_trace_tells_what_it_is_to_be_found_by(stream: Stream, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OBS_ENVIRONMENT", "staging")
    monkeypatch.setenv("OBS_RELEASE", "2026.11")
    with trace("labelled", version="1.4", tags=["beta"], metadata={"customer": "acme"}, attributes={"a": 1}):
        pass
    with trace("own", environment="production"):
        pass
    labelled, own = stream.read().traces
    wanted = {"environment": "staging", "release": "2026.11", "version": "1.4", "tags": ["beta"]}
    assert labelled | wanted == labelled
    assert labelled["attributes"] == {"a": 1, "metadata": {"customer": "acme"}}
    assert own["environment"] == "production"
    assert own.get("tags") is None


@pytest.mark.parametrize("decorator", [trace, observe, trace_tool])
def test_a_decorator_without_parentheses_decorates(stream: Stream, decorator: Any):
    @decorator
    def price(item: str) -> int:
        return len(item)

    assert price("ring") == 4
    assert stream.read().traces[0]["name"] == "price"


def test_decorated_functions_return_and_raise_what_they_did(stream: Stream):
    class Shop:
        @observe()
        def price(self, item: str, *, tax: float = 0.2, **more: int) -> float:
            return len(item) * (1 + tax)

    @trace("checkout")
    def checkout(item: str) -> float:
        return Shop().price(item, tax=0.0, coupon=5)

    @observe("fails")
    def fails() -> None:
        raise LookupError("no such item")

    assert checkout("ring") == 4
    with pytest.raises(LookupError, match="no such item"):
        fails()
    recorded = stream.read()
    start, end = recorded.find("price")
    assert start["input"] == {"item": "ring", "tax": 0.0, "coupon": 5}
    assert end["output"] == 4
    assert start["code"]["function"] == "Shop.price"
    assert start["code"]["file"].endswith("tests/test_spans.py")
    assert recorded.find("fails")[1] | {"status": "failure", "error": "LookupError: no such item"} == recorded.find("fails")[1]
    assert [end["status"] for end in recorded.trace_ends] == ["success", "failure"]


def test_a_tool_is_recorded_as_the_contract_has_it(stream: Stream):
    @trace_tool()
    def query_orders(customer: int, api_key: str = ""):
        return [{"order": customer}]

    with trace("t"):
        query_orders(7, api_key="hunter2-Zq8")
        with pytest.raises(ValueError, match="broken"), trace_tool("other", parameters={"a": 1}):
            raise ValueError("broken")
    recorded = stream.read()
    entry = recorded.find("query_orders")[1]["tool_entry"]
    assert entry.pop("timestamp").endswith("Z")
    assert entry == {
        "tool_name": "query_orders",
        "parameters": {"customer": 7, "api_key": "[masked]"},
        "result": [{"order": 7}],
        "status": "success",
    }
    assert recorded.find("other")[1]["tool_entry"]["status"] == "failure"
    assert recorded.find("other")[1]["tool_entry"]["result"] is None


def test_coroutines_at_once_keep_apart(stream: Stream):
    @observe()
    async def step(number: int) -> int:
        await asyncio.sleep(0.001 * (number % 3))
        return number

    async def one(number: int) -> None:
        async with trace(f"run {number}"):
            await asyncio.gather(step(number), step(number + 100))

    async def main() -> None:
        await asyncio.gather(*(one(number) for number in range(20)))

    asyncio.run(main())
    recorded = stream.read()
    names = {trace["trace_id"]: trace["name"] for trace in recorded.traces}
    assert len(recorded.starts) == 40
    for start in recorded.starts:
        assert names[start["trace_id"]] == f"run {start['input']['number'] % 100}"


def test_generators_of_both_kinds_are_recorded_until_they_end(stream: Stream):
    inside: list[object] = []

    @observe()
    def count(until: int):
        for number in range(until):
            inside.append(current_trace())
            yield number

    @observe()
    async def count_async(until: int):
        for number in range(until):
            yield number

    with trace("t") as run:
        assert list(count(3)) == [0, 1, 2]
        numbers = count(5)
        next(numbers)
        # Between two items the code around the generator is outside of it.
        assert current_trace() == (run.trace_id, None)
        numbers.close()

        async def consume() -> list[int]:
            return [number async for number in count_async(2)]

        assert asyncio.run(consume()) == [0, 1]
        assert current_trace() == (run.trace_id, None)
    recorded = stream.read()
    assert [end.get("output") for end in recorded.ends] == [[0, 1, 2], [0], [0, 1]]
    assert [end["status"] for end in recorded.ends] == ["success", "interrupted", "success"]
    assert [end.get("error") for end in recorded.ends] == [None, None, None]
    assert {start["parent_id"] for start in recorded.starts} == {None}


def test_a_generator_takes_what_is_sent_and_thrown_and_returns_what_it_did(idle_stream: Stream):
    def talk():
        heard = []
        while len(heard) < 2:
            try:
                heard.append((yield len(heard)))
            except LookupError as error:
                heard.append(str(error))
        return heard

    async def talk_async():
        heard = None
        while heard != "end":
            try:
                heard = yield heard
            except LookupError as error:
                heard = str(error)

    async def converse(function):
        stream = function()
        heard = [await stream.asend(None), await stream.asend("a"), await stream.athrow(LookupError("b"))]
        with pytest.raises(StopAsyncIteration):
            await stream.asend("end")
        return heard

    def hear(function):
        stream = function()
        heard = [next(stream), stream.send("a")]
        with pytest.raises(StopIteration) as ended:
            stream.throw(LookupError("b"))
        return heard, ended.value.value

    plain = hear(talk), asyncio.run(converse(talk_async))
    assert plain == (([0, 1], ["a", "b"]), [None, "a", "b"])
    # Without a publisher first, then recorded.
    for _ in range(2):
        assert (hear(observe()(talk)), asyncio.run(converse(observe()(talk_async)))) == plain
        idle_stream.initialize()
    recorded = idle_stream.read()
    assert [end["status"] for end in recorded.ends] == ["success", "success"]
    assert recorded.ends[0]["output"] == [0, 1]


def test_what_fails_keeps_what_it_had_said(stream: Stream):
    @observe()
    def count():
        yield 1
        raise ValueError("no two")

    with pytest.raises(ValueError), trace("t") as run:
        run.output = "a part"
        list(count())
    recorded = stream.read()
    [end, *_] = recorded.ends
    assert (end["status"], end["output"], end["error"]) == ("failure", [1], "ValueError: no two")
    assert (recorded.trace_ends[0]["status"], recorded.trace_ends[0]["output"]) == ("failure", "a part")


def test_what_is_cancelled_is_interrupted(stream: Stream):
    async def main() -> None:
        async def work() -> None:
            with trace("t"), observe("slow"):
                await asyncio.sleep(30)

        task = asyncio.ensure_future(work())
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    recorded = stream.read()
    assert recorded.find("slow")[1]["status"] == "interrupted"
    assert recorded.trace_ends[0]["status"] == "interrupted"


def test_threads_are_apart_unless_the_trace_is_carried(stream: Stream):
    barrier = threading.Barrier(8)

    @observe()
    def work(number: int) -> None:
        barrier.wait(10)

    with trace("carried"), ThreadPoolExecutor(8) as pool:
        futures = [pool.submit(carry_trace(work), number) for number in range(4)]
        futures += [pool.submit(work, number) for number in range(4, 8)]
        for future in futures:
            future.result(10)
    recorded = stream.read()
    carried = next(trace["trace_id"] for trace in recorded.traces if trace["name"] == "carried")
    assert {start["input"]["number"] for start in recorded.starts if start["trace_id"] == carried} == {0, 1, 2, 3}
    assert len(recorded.traces) == 5


def test_an_observation_outside_of_a_trace_is_a_trace(stream: Stream):
    with observe("alone", input=1) as alone:
        alone.output = 2
    recorded = stream.read()
    assert [trace["name"] for trace in recorded.traces] == ["alone"]
    assert recorded.trace_ends[0]["output"] == 2
    assert recorded.tree == ["span alone < -"]


def test_scores_go_to_what_runs_or_what_is_named(stream: Stream):
    assert score("outside", 1) is False
    with trace("t") as run, observe("o"):
        reference = current_trace()
        assert score("helpful", 1, comment="thumbs up")
        assert not score("wrong", float("nan"))
        assert not score("", 1)
        assert not score("wrong id", 1, trace_id="7")
    assert reference is not None
    assert score("later", 0.5, trace_id=reference.trace_id)
    scores = stream.read().of_type("score")
    assert [(each["name"], each["value"]) for each in scores] == [("helpful", 1), ("later", 0.5)]
    assert scores[0]["observation_id"] == reference.observation_id
    assert "observation_id" not in scores[1]
    assert run.trace_id == reference.trace_id


def test_the_running_trace_says_where_the_console_shows_it(idle_stream: Stream):
    assert idle_stream.initialize(console_url="https://sightline.acme.dev/").ok
    with trace("t") as run:
        reference = current_trace()
    assert reference is not None
    assert reference.url == f"https://sightline.acme.dev/projects/{PROJECT_ID}/traces/{run.trace_id}"
    assert idle_stream.initialize(console_url="").ok
    with trace("t"):
        reference = current_trace()
    assert reference is not None
    assert reference.url is None


def test_nothing_is_recorded_and_nothing_changes_without_a_publisher(idle_stream: Stream):
    @trace_tool()
    def tool(value: int) -> int:
        return value

    with trace("t") as run, observe("o") as step:
        assert (run.trace_id, step.observation_id, current_trace()) == (None, None, None)
        assert tool(3) == 3
    assert idle_stream.read().events == []


def test_values_are_those_of_the_moment(stream: Stream):
    state = {"items": [1]}
    with trace("t", input=state):
        state["items"].append(2)
    assert stream.read().traces[0]["input"] == {"items": [1]}

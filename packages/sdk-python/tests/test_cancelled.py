"""What runs in a node when that is cancelled ends as cancelled, too."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any, TypedDict

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import RunnableLambda
from pydantic import PrivateAttr
from stream import Stream

from sightline import create_traced_graph


class SlowModel(BaseChatModel):
    seconds: float = 60
    _begun: asyncio.Event = PrivateAttr(default_factory=asyncio.Event)

    @property
    def _llm_type(self) -> str:
        return "slow"

    def _generate(self, *_given: Any, **_more: Any) -> ChatResult:
        raise NotImplementedError

    async def _agenerate(self, *_given: Any, **_more: Any) -> ChatResult:
        self._begun.set()
        await asyncio.sleep(self.seconds)
        return ChatResult(generations=[ChatGeneration(message=AIMessage("late"))])


class State(TypedDict, total=False):
    said: str


def agent(model: SlowModel, timeout: float | None) -> Any:
    async def ask(_state: State) -> State:
        async with asyncio.timeout(timeout):
            answer = await RunnableLambda(model.ainvoke).with_config(run_name="helper").ainvoke("hello")
        return {"said": answer.text}

    graph = create_traced_graph(State, "agent")
    graph.add_node("ask", ask)
    graph.set_entry_point("ask")
    return graph.compile()


def status_of(stream: Stream, *names: str) -> list[tuple[str, str | None, bool | None]]:
    recorded = stream.read()
    ends = [(name, recorded.find(name)[1]) for name in names]
    return [(name, end.get("status"), end.get("attributes", {}).get("cancelled")) for name, end in ends]


def test_a_model_call_in_a_cancelled_node_is_cancelled(stream: Stream):
    async def run() -> None:
        model = SlowModel()
        task = asyncio.ensure_future(agent(model, None).ainvoke({}))
        await model._begun.wait()
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task

    asyncio.run(run())
    assert status_of(stream, "SlowModel", "ask") == [("SlowModel", "interrupted", True), ("ask", "interrupted", True)]


def test_a_model_call_in_a_node_whose_time_is_over_is_cancelled(stream: Stream):
    with contextlib.suppress(TimeoutError):
        asyncio.run(agent(SlowModel(), 0.05).ainvoke({}))
    assert status_of(stream, "SlowModel", "ask") == [("SlowModel", "interrupted", True), ("ask", "failure", None)]


def test_a_call_that_goes_on_after_its_node_failed_ends_as_it_does(stream: Stream):
    calls: list[asyncio.Task[Any]] = []

    async def leaves(_state: State) -> State:
        model = SlowModel(seconds=0.1)
        calls.append(asyncio.ensure_future(model.ainvoke("hello")))
        await model._begun.wait()
        raise LookupError("no order")

    async def run() -> None:
        graph = create_traced_graph(State, "agent")
        graph.add_node("leaves", leaves)
        graph.set_entry_point("leaves")
        with contextlib.suppress(LookupError):
            await graph.compile().ainvoke({})
        await calls[0]

    asyncio.run(run())
    start, _ = (recorded := stream.read()).find("SlowModel")
    ends = [end["status"] for end in recorded.ends if end["observation_id"] == start["observation_id"]]
    assert ends[-1] == "success"

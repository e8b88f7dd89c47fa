"""What is recorded of a run beside its edges, which the platform's own test compares for every agent."""

from __future__ import annotations

import asyncio
import gc
from typing import Any, TypedDict

import pytest
from graph_agent import EMPTY, State, build, in_thread, mark
from langchain_core.documents import Document
from langchain_core.language_models import FakeListChatModel
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableLambda
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from pause_agents import asking_graph
from stream import Stream
from tool_agent import prebuilt_agent, tool_agent

from sightline import callback_handler, create_traced_graph, observe, trace, trace_graph, wrap_llm_adapter


def test_a_tool_agent_is_recorded_whole(stream: Stream):
    wrap_llm_adapter()
    given = {"messages": [("human", "cats or dogs?")]}
    config = {"configurable": {"thread_id": "t-9"}, "metadata": {"session_id": "s-1", "user_id": "u-1"}, "tags": ["beta"]}
    tool_agent("tool-agent").invoke(given, config)
    recorded = stream.read()
    assert sorted(recorded.tree) == sorted(
        [
            "node agent < -",
            "llm ScriptedModel < agent",
            "node tools < -",
            "tool search < tools",
            "tool broken < tools",
            "node agent < -",
            "llm ScriptedModel < agent",
        ]
    )
    [start], [end] = recorded.traces, recorded.trace_ends
    assert {key: start[key] for key in ("name", "thread_id", "session_id", "user_id")} == {
        "name": "tool-agent", "thread_id": "t-9", "session_id": "s-1", "user_id": "u-1"}  # fmt: skip
    assert start["attributes"]["tags"] == ["beta"]
    assert (end["status"], len(end["output"]["messages"])) == ("success", 5)
    models = [end for end in recorded.ends if end.get("usage")]
    assert models[0]["usage"] == {
        "input_tokens": 30,
        "output_tokens": 5,
        "cache_read_tokens": 10,
        "raw": {"prompt_tokens": 30, "completion_tokens": 5},
    }
    assert models[0]["model"] == "scripted-1-2026"
    assert models[0]["reasoning"] == {"text": "I have seen enough.", "truncated": False, "original_chars": 19}
    assert recorded.find("ScriptedModel")[0]["model"] == "scripted-1"
    assert recorded.find("ScriptedModel")[0]["input"][0]["content"] == "cats or dogs?"
    search, broken = recorded.find("search")[1], recorded.find("broken")[1]
    assert search["tool_entry"]["parameters"] == {"query": "cats", "api_key": "[masked]"}
    assert (search["tool_entry"]["result"], search["tool_entry"]["status"]) == ("found cats", "success")
    assert (broken["status"], broken["error"]) == ("failure", "ValueError: the tool broke")
    node = recorded.find("agent")[0]
    assert node["code"]["file"].endswith("testing/tool_agent.py")
    assert node["code"]["function"] == "agent"
    assert node["input"]["messages"][0]["content"] == "cats or dogs?"
    assert "secret-1" not in recorded.text


def test_prompts_leave_only_after_wrap_llm_adapter(stream: Stream):
    prebuilt_agent("p").invoke({"messages": [("human", "where is it warm?")]})
    recorded = stream.read()
    models = [start for start in recorded.starts if start["kind"] == "llm"]
    assert len(models) == 2
    assert all("input" not in start for start in models)
    assert all("output" not in recorded.find(start["name"])[1] for start in models)


def test_the_declared_graph_is_said_once_and_is_the_same_in_every_process(stream: Stream):
    for _ in range(3):
        tool_agent("tool-agent").invoke({"messages": [("human", "hi")]})
    graphs = stream.read().of_type("graph")
    assert len(graphs) == 1
    assert graphs[0]["nodes"] == ["__end__", "__start__", "agent", "tools"]
    assert {"from": "agent", "to": "tools", "conditional": True} in graphs[0]["edges"]
    assert graphs[0]["graph_hash"] == "c7368d661bbb41a5df09194e28cb5e3d5bd1468c250170fa3aa62e9abfec0927"


class ToolState(TypedDict, total=False):
    _tools_executed: list[Any]
    _tools_executed_by: str


def test_tools_of_the_agent_s_state_are_recorded_as_the_contract_has_them(stream: Stream):
    entry = {"tool_name": "lookup", "parameters": {"id": 7}, "result": {"found": True}, "status": "success"}
    entries = [
        {**entry, "timestamp": "2026-11-25T10:00:00Z"},
        {**entry, "tool_name": "store", "timestamp": "2026-11-25T12:00:01+02:00", "status": "failure"},
        {"tool_name": "no status", "timestamp": "2026-11-25T10:00:00Z"},
    ]

    def act(state: ToolState) -> ToolState:
        return {"_tools_executed": entries, "_tools_executed_by": "act"}

    def again(state: ToolState) -> ToolState:
        return {"_tools_executed": entries, "_tools_executed_by": "act"}

    graph = create_traced_graph(ToolState, "tools")
    graph.add_node("act", act).add_node("again", again).add_edge(START, "act").add_edge("act", "again")
    graph.compile().invoke({})
    recorded = stream.read()
    tools = [start for start in recorded.starts if start["kind"] == "tool"]
    assert [tool["name"] for tool in tools] == ["lookup", "store"]
    assert recorded.find("lookup")[1]["tool_entry"] == {**entry, "timestamp": "2026-11-25T10:00:00.000Z"}
    assert recorded.find("store")[1]["tool_entry"]["timestamp"] == "2026-11-25T10:00:01.000Z"
    assert recorded.find("again")[1]["attributes"]["tools_executed_by_mismatch"] is True
    assert "tools_executed_by_mismatch" not in recorded.find("act")[1]["attributes"]


def test_an_interrupt_is_no_failure_and_says_what_was_asked(stream: Stream):
    graph, config = asking_graph("asks", InMemorySaver()), in_thread()
    graph.invoke(EMPTY, config)
    recorded = stream.read()
    [end] = recorded.trace_ends
    assert end["status"] == "interrupted"
    assert end["attributes"]["interrupts"][0]["value"] == "first?"
    assert end["paused_at"]
    assert recorded.find("ask")[1]["status"] == "interrupted"


def test_what_runs_inside_a_node_hangs_under_it(stream: Stream):
    model = FakeListChatModel(responses=["hello"])

    @observe()
    async def helper() -> str:
        return str((await model.ainvoke("hi")).content)

    async def node(state: State) -> State:
        return {"seen": await asyncio.gather(helper(), helper())}

    graph = build("inside").add_node("node", node).add_edge(START, "node").compile()

    async def run() -> None:
        with trace("request"):
            await graph.ainvoke(EMPTY)

    asyncio.run(run())
    recorded = stream.read()
    assert [trace["name"] for trace in recorded.traces] == ["request"]
    assert sorted(recorded.tree) == sorted(
        [
            "graph inside < -",
            "node node < inside",
            "span helper < node",
            "span helper < node",
            "llm FakeListChatModel < helper",
            "llm FakeListChatModel < helper",
        ]
    )


def test_runs_at_once_keep_apart(stream: Stream):
    async def node(state: State) -> State:
        await asyncio.sleep(0.002)
        return {"seen": [f"{state['seen'][0]}!"]}

    graph = build("many").add_node("node", node).add_edge(START, "node").compile()

    async def run() -> None:
        await asyncio.gather(*(graph.ainvoke({"seen": [str(number)]}) for number in range(30)))

    asyncio.run(run())
    recorded = stream.read()
    given = {trace["trace_id"]: trace["input"]["seen"] for trace in recorded.traces}
    assert len(given) == 30
    for end in recorded.ends:
        assert end["output"]["seen"] == [f"{given[end['trace_id']][0]}!"]


def test_the_time_to_the_first_token_of_a_stream_is_kept(stream: Stream):
    model = FakeListChatModel(responses=["hello"], sleep=0.005)
    with trace("t"):
        list(model.stream("hi", {"callbacks": [callback_handler()]}))
    [end] = stream.read().ends
    assert 0 < end["time_to_first_token_ms"] <= end["duration_ms"] + 1


class Retriever(BaseRetriever):
    def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
        return [Document(f"about {query}", metadata={"page": 1})]


def test_langchain_without_langgraph_is_recorded_by_a_handler(stream: Stream):
    chain = RunnableLambda(lambda question: Retriever().invoke(question)).with_config(run_name="look up")
    config = {"callbacks": [callback_handler("summary")], "metadata": {"session_id": "s-1"}}
    chain.invoke("cats", config)
    with pytest.raises(ZeroDivisionError):
        RunnableLambda(lambda _: 1 / 0).invoke(1, config)
    FakeListChatModel(responses=["x"]).invoke("alone", {"callbacks": [callback_handler()]})
    recorded = stream.read()
    assert [trace["name"] for trace in recorded.traces] == ["summary", "summary", "FakeListChatModel"]
    assert [end["status"] for end in recorded.trace_ends] == ["success", "failure", "success"]
    assert recorded.traces[0]["session_id"] == "s-1"
    assert recorded.tree == ["retriever Retriever < -", "llm FakeListChatModel < -"]
    assert recorded.find("Retriever")[1]["output"][0]["page_content"] == "about cats"


def test_a_graph_is_the_same_with_tracing_and_without(idle_stream: Stream, monkeypatch):
    def answers() -> Any:
        graph = build("g").add_node("a", mark("a")).add_node("b", mark("b")).add_edge(START, "a").add_edge("a", "b").compile()
        return graph.invoke(EMPTY), [list(chunk) for chunk in graph.stream(EMPTY)], graph.get_graph().to_json()

    without_publisher = answers()
    monkeypatch.setenv("OBS_ENABLED", "false")
    switched_off = answers()
    monkeypatch.delenv("OBS_ENABLED")
    idle_stream.initialize()
    assert answers() == without_publisher == switched_off


def test_a_compiled_graph_is_copied_not_changed(stream: Stream):
    plain = StateGraph(State).add_node("a", mark("a")).add_edge(START, "a").compile()
    traced = trace_graph(plain, "copy")
    plain.invoke(EMPTY)
    traced.invoke(EMPTY)
    assert [trace["name"] for trace in stream.read().traces] == ["copy"]


def test_a_graph_for_each_request_is_not_kept(stream: Stream):
    from sightline._langgraph.graph_structure import _known

    before = len(_known)
    for _ in range(20):
        build("one of many").add_node("a", mark("a")).add_edge(START, "a").compile().invoke(EMPTY)
    gc.collect()
    assert len(_known) <= before + 1
    assert len(stream.read().of_type("graph")) == 1


def test_a_graph_that_cannot_be_read_is_recorded_without_its_edges(stream: Stream, monkeypatch):
    graph = StateGraph(State).add_node("a", mark("a")).add_edge(START, "a").compile()
    monkeypatch.setattr(type(graph), "get_graph", lambda *_: 1 / 0)
    trace_graph(graph, "unreadable").invoke(EMPTY)
    recorded = stream.read()
    assert [trace["name"] for trace in recorded.traces] == ["unreadable"]
    assert recorded.tree == ["node a < -"]

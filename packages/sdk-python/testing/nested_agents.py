"""Graphs inside graphs, and every way to stream them, in coroutines as well."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

from graph_agent import EMPTY, GraphAgent, State, build, mark, slowly
from langgraph.config import get_stream_writer
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command

from sightline import trace_graph


def plain() -> StateGraph[State, Any, Any, Any]:
    return StateGraph(State)


def subgraphs(trace_name: str) -> object:
    inner = plain()
    inner.add_node("a", slowly("a")).add_node("b", mark("b")).add_edge(START, "a").add_edge("a", "b")
    middle = plain()
    middle.add_node("before", mark("before")).add_node("inner", inner.compile()).add_edge(START, "before")
    middle.add_conditional_edges("before", lambda _: "deeper", {"deeper": "inner", "out": END})
    outer = build(trace_name)
    outer.add_node("outer", middle.compile()).add_node("after", mark("after"))
    outer.add_edge(START, "outer").add_edge("outer", "after")
    return outer.compile().invoke(EMPTY)


def same_subgraph(trace_name: str) -> object:
    compiled = plain().add_node("work", slowly("work")).add_edge(START, "work").compile()
    untraced = plain().add_node("step", mark("step")).add_edge(START, "step").compile()
    traced = trace_graph(compiled, "called")

    def call(state: State) -> State:
        traced.invoke(EMPTY)
        untraced.invoke(EMPTY)
        return {"seen": []}

    graph = build(trace_name)
    graph.add_node("one", compiled).add_node("two", compiled).add_node("call", call)
    graph.add_edge(START, "one").add_edge(START, "two").add_edge("one", "call").add_edge("two", "call")
    return graph.compile().invoke(EMPTY)


def command_to_parent(trace_name: str) -> object:
    def hand(state: State) -> Any:
        return Command(graph=Command.PARENT, goto="other", update={"seen": ["hand"]})

    team = plain().add_node("ask", mark("ask")).add_node("hand", hand).add_edge(START, "ask").add_edge("ask", "hand")
    graph = build(trace_name)
    graph.add_node("team", team.compile(), destinations=("other",))
    graph.add_node("other", mark("other")).add_node("always", mark("always"))
    graph.add_edge(START, "team").add_edge("team", "always")
    return graph.compile().invoke(EMPTY)


def streaming_graph(trace_name: str) -> Any:
    team = plain().add_node("work", slowly("work")).add_edge(START, "work").compile()

    def last(state: State) -> State:
        get_stream_writer()("a word")
        return {"seen": []}

    graph = build(trace_name)
    graph.add_node("team", team).add_node("last", last).add_edge(START, "team")
    graph.add_conditional_edges("team", lambda state: "last" if state["seen"] else END, ["last", END])
    return graph.compile()


def stream(mode: str, trace_name: str) -> object:
    return len(list(streaming_graph(trace_name).stream(EMPTY, stream_mode=mode, subgraphs=True)))


def stream_in_coroutine(mode: str, trace_name: str) -> object:
    async def run() -> int:
        return len([chunk async for chunk in streaming_graph(trace_name).astream(EMPTY, stream_mode=mode, subgraphs=True)])

    return asyncio.run(run())


STREAMED = [
    "__start__ -static-> team",
    "team:__start__ -static-> team:work",
    "team:work -static-> team:__end__",
    "team -conditional-> last",
    "last -static-> __end__",
]

NESTED_AGENTS = [
    GraphAgent(
        "subgraphs in subgraphs that are not traced themselves",
        "success",
        [
            "__start__ -static-> outer",
            "outer -static-> after",
            "after -static-> __end__",
            "outer:__start__ -static-> outer:before",
            "outer:before -conditional-> outer:inner",
            "outer:inner -static-> outer:__end__",
            "outer:inner:__start__ -static-> outer:inner:a",
            "outer:inner:a -static-> outer:inner:b",
            "outer:inner:b -static-> outer:inner:__end__",
        ],
        subgraphs,
    ),
    GraphAgent(
        "the same subgraph in two nodes at once, and two called in a function",
        "success",
        [
            "__start__ -static-> one",
            "__start__ -static-> two",
            "one -static-> call",
            "two -static-> call",
            "call -static-> __end__",
            *(
                f"{node}:{edge}"
                for node in ("one", "two", "call")
                for edge in (f"__start__ -static-> {node}:work", f"work -static-> {node}:__end__")
            ),
            "call:__start__ -static-> call:step",
            "call:step -static-> call:__end__",
        ],
        same_subgraph,
    ),
    GraphAgent(
        "a Command to the graph around",
        "success",
        [
            "__start__ -static-> team",
            "team:__start__ -static-> team:ask",
            "team:ask -static-> team:hand",
            "team:hand -goto-> other",
            "team -static-> always",
            "other -static-> __end__",
            "always -static-> __end__",
        ],
        command_to_parent,
    ),
    *(
        GraphAgent(f"streaming of {mode}", "success", STREAMED, partial(stream, mode))
        for mode in ("values", "updates", "messages", "custom", "debug", "tasks")
    ),
    *(
        GraphAgent(f"streaming of {mode} in a coroutine", "success", STREAMED, partial(stream_in_coroutine, mode))
        for mode in ("values", "messages")
    ),
]

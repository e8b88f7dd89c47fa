"""Interrupts and their resumes, and the functional API."""

from __future__ import annotations

from typing import Any

from graph_agent import EMPTY, GraphAgent, State, build, in_thread, mark
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.func import entrypoint, task
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt

from sightline import trace_graph


def asking_graph(trace_name: str, checkpointer: Any) -> Any:
    """Asks twice in one node; beside it another node is done at once."""

    def ask(state: State) -> State:
        return {"seen": [str(interrupt("first?")), str(interrupt("second?"))]}

    graph = build(trace_name)
    graph.add_node("ask", ask)
    for name in ("beside", "act", "after"):
        graph.add_node(name, mark(name))
    graph.add_edge(START, "ask").add_edge(START, "beside").add_edge("beside", "after")
    graph.add_conditional_edges("ask", lambda _: "act", ["act", END])
    return graph.compile(checkpointer=checkpointer)


def asked_twice(trace_name: str) -> object:
    graph, config = asking_graph(trace_name, InMemorySaver()), in_thread()
    graph.invoke(EMPTY, config)
    graph.invoke(Command(resume="a"), config)
    return graph.invoke(Command(resume="b"), config)


def unanswered(trace_name: str) -> object:
    return asking_graph(trace_name, InMemorySaver()).invoke(EMPTY, in_thread())


def pauses(trace_name: str) -> object:
    graph = build(trace_name)
    for name in ("first", "second", "third"):
        graph.add_node(name, mark(name))
    graph.add_edge(START, "first").add_edge("second", "third")
    graph.add_conditional_edges("first", lambda _: "second", ["second", END])
    compiled = graph.compile(checkpointer=InMemorySaver(), interrupt_before=["first", "second"], interrupt_after=["second"])
    config = in_thread()
    for given in (EMPTY, None, None, None):
        compiled.invoke(given, config)
    return None


def inside_subgraph(trace_name: str) -> object:
    def ask(state: State) -> State:
        return {"seen": [str(interrupt("sure?"))]}

    team: StateGraph[State, Any, Any, Any] = StateGraph(State)
    team.add_node("think", mark("think")).add_node("ask", ask).add_edge(START, "think").add_edge("think", "ask")
    graph = build(trace_name)
    graph.add_node("team", team.compile()).add_node("after", mark("after"))
    graph.add_edge(START, "team").add_edge("team", "after")
    compiled, config = graph.compile(checkpointer=InMemorySaver()), in_thread()
    compiled.invoke(EMPTY, config)
    given: Any = Command(resume="yes")
    return compiled.invoke(given, config)


def goes_on(trace_name: str) -> object:
    graph = build(trace_name).add_node("only", mark("only")).add_edge(START, "only")
    compiled, config = graph.compile(checkpointer=InMemorySaver()), in_thread()
    compiled.invoke(EMPTY, config)
    return compiled.invoke(EMPTY, config)


def functional(trace_name: str) -> object:
    @task
    def double(number: int) -> int:
        return number * 2

    @entrypoint(checkpointer=InMemorySaver())
    def flow(number: int) -> Any:
        return interrupt(double(double(number).result()).result())

    traced, config = trace_graph(flow, trace_name), in_thread()
    traced.invoke(3, config)
    given: Any = Command(resume="yes")
    return traced.invoke(given, config)


PAUSE_AGENTS = [
    GraphAgent(
        "two interrupts in one node beside a node that is done, and their resumes",
        "success",
        [
            "__start__ -static-> ask",
            "__start__ -static-> beside",
            "ask -conditional-> act",
            "beside -static-> after",
            "act -static-> __end__",
            "after -static-> __end__",
        ],
        asked_twice,
    ),
    GraphAgent(
        "an interrupt that nobody answered",
        "interrupted",
        ["__start__ -static-> ask", "__start__ -static-> beside"],
        unanswered,
    ),
    GraphAgent(
        "pauses before and after nodes",
        "success",
        ["__start__ -static-> first", "first -conditional-> second", "second -static-> third", "third -static-> __end__"],
        pauses,
    ),
    GraphAgent(
        "an interrupt in a subgraph",
        "success",
        [
            "__start__ -static-> team",
            "team:__start__ -static-> team:think",
            "team:think -static-> team:ask",
            "team:ask -static-> team:__end__",
            "team -static-> after",
            "after -static-> __end__",
        ],
        inside_subgraph,
    ),
    GraphAgent(
        "a thread that goes on with another input",
        "success",
        ["__start__ -static-> only", "only -static-> __end__"],
        goes_on,
        traces=2,
    ),
    GraphAgent(
        "tasks of the functional API, with an interrupt",
        "success",
        ["__start__ -static-> flow", "flow -static-> __end__"],
        functional,
    ),
]

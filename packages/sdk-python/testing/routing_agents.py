"""Edges, routers, Commands and Sends within one graph."""

from __future__ import annotations

from typing import Any

from graph_agent import EMPTY, GraphAgent, State, build, mark, slowly
from langgraph.graph import END, START
from langgraph.types import Command, Send
from tool_agent import prebuilt_agent, tool_agent


def loop(trace_name: str) -> object:
    return tool_agent(trace_name).invoke({"messages": [("human", "cats or dogs?")]})


def prebuilt(trace_name: str) -> object:
    return prebuilt_agent(trace_name).invoke({"messages": [("human", "cats or dogs?")]})


def parallel(trace_name: str) -> object:
    graph = build(trace_name)
    for name in ("split", "left", "right"):
        graph.add_node(name, slowly(name))
    graph.add_node("sum", mark("sum"))
    graph.add_edge(START, "split").add_edge("split", "left").add_edge("split", "right")
    graph.add_edge(["left", "right"], "sum").add_edge("sum", END)
    return graph.compile().invoke(EMPTY)


def half_joined(trace_name: str) -> object:
    graph = build(trace_name)
    for name in ("quick", "long1", "long2", "meet"):
        graph.add_node(name, slowly(name))
    graph.add_edge(START, "quick").add_edge(START, "long1").add_edge("long1", "long2").add_edge("quick", "meet")
    graph.add_edge(["quick", "long2"], "meet")
    return graph.compile().invoke(EMPTY)


def unequal(trace_name: str, *, defer: bool) -> object:
    last = "last" if defer else "meet"
    graph = build(trace_name)
    for name in ("short", "long1", "long2"):
        graph.add_node(name, slowly(name))
    graph.add_node(last, mark(last), defer=defer)
    graph.add_edge(START, "short").add_edge(START, "long1").add_edge("long1", "long2")
    graph.add_edge("short", last).add_edge("long2", last)
    return graph.compile().invoke(EMPTY)


def two_senders(trace_name: str) -> object:
    def both(state: State) -> list[str]:
        return ["odd", "even"]

    graph = build(trace_name)
    for name in ("odd", "even", "worker", "other"):
        graph.add_node(name, slowly(name))
    graph.add_node("reduce", mark("reduce"))
    graph.add_conditional_edges(START, both, ["odd", "even"])
    graph.add_conditional_edges("odd", lambda _: [Send("worker", {"seen": [seen]}) for seen in "135"], ["worker"])
    graph.add_conditional_edges(
        "even",
        lambda _: [Send("worker", {"seen": ["2"]}), Send("other", {"seen": ["x"]}), Send("worker", {"seen": ["4"]})],
        ["worker", "other"],
    )
    graph.add_edge("worker", "reduce").add_edge("other", "reduce")
    return graph.compile().invoke(EMPTY)


def many_sends(trace_name: str) -> object:
    def plan(state: State) -> Any:
        return Command(goto=[Send("worker", {"seen": []}) for _ in range(60)])

    graph = build(trace_name)
    graph.add_node("plan", plan, destinations=("worker",))
    graph.add_node("worker", mark("worker")).add_node("reduce", mark("reduce"))
    graph.add_edge(START, "plan").add_edge("worker", "reduce")
    return graph.compile().invoke(EMPTY)


def commands(trace_name: str) -> object:
    def choose(state: State) -> Any:
        return Command(goto=["first", "second"], update={"seen": ["choose"]})

    def first(state: State) -> Any:
        return Command(goto=END, update={"seen": ["first"]})

    graph = build(trace_name)
    graph.add_node("choose", choose, destinations=("first", "second", "third"))
    graph.add_node("first", first, destinations=(END,))
    graph.add_node("second", slowly("second")).add_node("third", mark("third")).add_node("always", slowly("always"))
    graph.add_edge(START, "choose").add_edge("choose", "always")
    return graph.compile().invoke(EMPTY)


def command_as_input(trace_name: str) -> object:
    graph = build(trace_name)
    graph.add_node("first", mark("first")).add_node("second", mark("second"))
    graph.add_edge(START, "first").add_edge("first", "second")
    given: Any = Command(goto="second", update={"seen": ["input"]})
    return graph.compile().invoke(given)


ROUTING_AGENTS = [
    GraphAgent(
        "a loop by conditional edges",
        "success",
        ["__start__ -static-> agent", "agent -conditional-> tools", "tools -static-> agent", "agent -conditional-> __end__"],
        loop,
    ),
    GraphAgent(
        "an agent made by create_agent",
        "success",
        ["__start__ -static-> model", "model -send-> tools ×2", "tools -conditional-> model ×2", "model -conditional-> __end__"],
        prebuilt,
    ),
    GraphAgent(
        "parallel branches that are joined",
        "success",
        [
            "__start__ -static-> split",
            "split -static-> left",
            "split -static-> right",
            "left -join-> sum",
            "right -join-> sum",
            "sum -static-> __end__",
        ],
        parallel,
    ),
    GraphAgent(
        "a node that is led to before the join it waits for is whole",
        "success",
        [
            "__start__ -static-> quick",
            "__start__ -static-> long1",
            "long1 -static-> long2",
            "quick -static-> meet",
            "quick -join-> meet",
            "long2 -join-> meet",
            "meet -static-> __end__ ×2",
        ],
        half_joined,
    ),
    GraphAgent(
        "branches of unequal length that meet without a join",
        "success",
        [
            "__start__ -static-> short",
            "__start__ -static-> long1",
            "long1 -static-> long2",
            "short -static-> meet",
            "long2 -static-> meet",
            "meet -static-> __end__ ×2",
        ],
        lambda name: unequal(name, defer=False),
    ),
    GraphAgent(
        "a deferred node after branches of unequal length",
        "success",
        [
            "__start__ -static-> short",
            "__start__ -static-> long1",
            "long1 -static-> long2",
            "short -static-> last",
            "long2 -static-> last",
            "last -static-> __end__",
        ],
        lambda name: unequal(name, defer=True),
    ),
    GraphAgent(
        "tasks sent by two routers at once",
        "success",
        [
            "__start__ -conditional-> odd",
            "__start__ -conditional-> even",
            "odd -send-> worker ×3",
            "even -send-> worker ×2",
            "even -send-> other",
            "worker -static-> reduce ×5",
            "other -static-> reduce",
            "reduce -static-> __end__",
        ],
        two_senders,
    ),
    GraphAgent(
        "many tasks that are sent",
        "success",
        ["__start__ -static-> plan", "plan -send-> worker ×60", "worker -static-> reduce ×60", "reduce -static-> __end__"],
        many_sends,
    ),
    GraphAgent(
        "Commands that say where to go, beside edges",
        "success",
        [
            "__start__ -static-> choose",
            "choose -goto-> first",
            "choose -goto-> second",
            "choose -static-> always",
            "first -goto-> __end__",
            "second -static-> __end__",
            "always -static-> __end__",
        ],
        commands,
    ),
    GraphAgent(
        "a Command as the input",
        "success",
        # LangGraph for Python goes on from the beginning, too.
        [
            "__start__ -goto-> second",
            "__start__ -static-> first",
            "first -static-> second",
            "second -static-> __end__ ×2",
        ],
        command_as_input,
    ),
]

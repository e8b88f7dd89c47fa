"""What is tried again, fails, is handled, or is cancelled."""

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import Any

from graph_agent import EMPTY, GraphAgent, State, build, mark
from langchain_core.tools import tool
from langgraph.graph import END, START
from langgraph.types import Command, RetryPolicy


def tried_again(trace_name: str) -> object:
    attempts = 0

    def flaky(state: State) -> State:
        nonlocal attempts
        attempts += 1
        if attempts < 3:
            raise ValueError("not yet")
        return {"seen": ["flaky"]}

    policy = RetryPolicy(max_attempts=3, initial_interval=0.001, jitter=False, retry_on=ValueError)
    graph = build(trace_name)
    graph.add_node("flaky", flaky, retry_policy=policy).add_node("done", mark("done")).add_edge(START, "flaky")
    graph.add_conditional_edges("flaky", lambda _: "done", ["done", "flaky"])
    return graph.compile().invoke(EMPTY)


def handled(trace_name: str) -> object:
    def risky(state: State) -> State:
        raise ValueError("broken")

    def save(state: State) -> Any:
        return Command(goto="saved", update={"seen": ["handled"]})

    graph = build(trace_name)
    graph.add_node("risky", risky, error_handler=save).add_node("saved", mark("saved")).add_node("never", mark("never"))
    graph.add_edge(START, "risky").add_edge("risky", "never")
    return graph.compile().invoke(EMPTY)


def fails_beside(trace_name: str) -> object:
    def fails(state: State) -> State:
        time.sleep(0.02)
        raise ValueError("broken")

    graph = build(trace_name)
    graph.add_node("first", mark("first")).add_node("fails", fails).add_node("works", mark("works"))
    graph.add_node("never", mark("never"))
    graph.add_edge(START, "first").add_edge("first", "fails").add_edge("first", "works")
    graph.add_edge("works", "never").add_edge("works", END)
    with contextlib.suppress(ValueError):
        graph.compile().invoke(EMPTY)
    return None


def recursion_limit(trace_name: str) -> object:
    graph = build(trace_name)
    graph.add_node("again", mark("again")).add_edge(START, "again")
    graph.add_conditional_edges("again", lambda _: "again", ["again"])
    with contextlib.suppress(RecursionError):
        graph.compile().invoke(EMPTY, {"recursion_limit": 4})
    return None


@tool
def find_order() -> str:
    """Never finds one."""
    raise ValueError("order 42 was not found")


def caught_before_the_limit(trace_name: str) -> object:
    def again(state: State) -> State:
        with contextlib.suppress(ValueError):
            find_order.invoke({})
        return {"seen": ["again"]}

    graph = build(trace_name)
    graph.add_node("again", again).add_edge(START, "again")
    graph.add_conditional_edges("again", lambda _: "again", ["again"])
    with contextlib.suppress(RecursionError):
        graph.compile().invoke(EMPTY, {"recursion_limit": 2})
    return None


def cancelled(trace_name: str) -> object:
    async def run() -> None:
        begun = asyncio.Event()

        async def stuck(state: State) -> State:
            begun.set()
            await asyncio.sleep(60)
            return {"seen": []}

        graph = build(trace_name)
        graph.add_node("quick", mark("quick")).add_node("stuck", stuck).add_node("never", mark("never"))
        graph.add_edge(START, "quick").add_edge("quick", "stuck").add_edge("stuck", "never")
        task = asyncio.ensure_future(graph.compile().ainvoke(EMPTY))
        await begun.wait()
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task

    return asyncio.run(run())


def left_early(trace_name: str) -> object:
    graph = build(trace_name)
    graph.add_node("first", mark("first")).add_node("second", mark("second"))
    graph.add_edge(START, "first").add_edge("first", "second")
    chunks = graph.compile().stream(EMPTY)
    next(chunks)
    chunks.close()  # type: ignore[attr-defined]
    return None


FAULT_AGENTS = [
    GraphAgent(
        "a node that is tried three times",
        "success",
        ["__start__ -static-> flaky", "flaky -conditional-> done", "done -static-> __end__"],
        tried_again,
    ),
    GraphAgent(
        "a node whose failure is handled",
        "success",
        [
            "__start__ -static-> risky",
            "risky -error-> __error_handler__risky",
            "__error_handler__risky -goto-> saved",
            "saved -static-> __end__",
        ],
        handled,
    ),
    GraphAgent(
        "a node that raises beside one that is done",
        "failure",
        ["__start__ -static-> first", "first -static-> fails", "first -static-> works"],
        fails_beside,
    ),
    GraphAgent(
        "a loop that reaches the recursion limit",
        "failure",
        ["__start__ -static-> again", "again -conditional-> again ×3"],
        recursion_limit,
    ),
    GraphAgent(
        "a tool whose failure is caught, again and again, until the limit",
        "failure",
        ["__start__ -static-> again", "again -conditional-> again"],
        caught_before_the_limit,
    ),
    GraphAgent(
        "a run that is cancelled",
        "interrupted",
        ["__start__ -static-> quick", "quick -static-> stuck"],
        cancelled,
    ),
    GraphAgent("a stream that is left early", "interrupted", ["__start__ -static-> first"], left_early),
]

"""Agents, how they are run, and what is known of their runs because of how they are built."""

from __future__ import annotations

import operator
import random
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypedDict

from langgraph.graph import StateGraph

from sightline import create_traced_graph


class State(TypedDict):
    seen: Annotated[list[str], operator.add]


EMPTY: State = {"seen": []}


@dataclass(frozen=True)
class GraphAgent:
    name: str
    status: str
    taken: Sequence[str]
    """`from -via-> to`, with ` ×n` when it was gone more than once."""
    run: Callable[[str], object]
    """Given the name of its traces."""
    traces: int = 1
    """How many it makes."""


def mark(name: str) -> Any:
    def node(state: State) -> State:
        return {"seen": [name]}

    return node


def slowly(name: str) -> Any:
    """Takes another time in every run, so that whoever looks at the clock gets another graph."""

    def node(state: State) -> State:
        time.sleep(random.random() * 0.015)
        return {"seen": [name]}

    return node


def build(trace_name: str) -> StateGraph[State, Any, Any, Any]:
    return create_traced_graph(State, trace_name)


def in_thread() -> Any:
    return {"configurable": {"thread_id": str(uuid.uuid4())}}

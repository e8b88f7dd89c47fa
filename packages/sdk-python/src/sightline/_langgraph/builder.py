"""What an application calls; LangGraph and LangChain are imported when it does, so that others need neither."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from sightline._capture.loose_values import quietly
from sightline._client.state import warn
from sightline._settings.settings import is_switched_off
from sightline._settings.text_of import TEXTS, kind_of, text_of

if TYPE_CHECKING:
    from langchain_core.callbacks import BaseCallbackHandler
    from langgraph.graph import StateGraph
    from langgraph.typing import StateT

Graph = TypeVar("Graph")


def create_traced_graph(state_type: type[StateT], trace_name: str, **schemas: Any) -> StateGraph[StateT, Any, Any, Any]:
    """A `StateGraph` like any other, whose compiled runs are traced: one trace per run, with its nodes, tool calls and model
    calls. `schemas` are those that `StateGraph` takes beside the state's: `context_schema`, `input_schema`, `output_schema`.

    graph = create_traced_graph(State, trace_name="support-agent")
    graph.add_node("answer", answer)
    graph.add_edge(START, "answer")
    agent = graph.compile()
    """
    from langgraph.graph import StateGraph

    builder: StateGraph[StateT, Any, Any, Any] = StateGraph(state_type, **schemas)
    return trace_graph(builder, trace_name)


def trace_graph(graph: Graph, trace_name: str) -> Graph:
    """The same for a builder made by hand, which is returned, or for a graph that is compiled already, as `create_agent` and
    `@entrypoint` make them: of that a traced copy is returned, and the graph itself stays as it was."""
    if is_switched_off():
        return graph
    trace_name = _read_name(trace_name)
    traced = _attach(graph, trace_name) if hasattr(graph, "with_config") else _trace_builder(graph, trace_name)
    return graph if traced is None else traced


def callback_handler(trace_name: str = "") -> BaseCallbackHandler:
    """For LangChain without LangGraph: records what it is handed to (chains, models, tools, retrievers), each outermost run as
    a trace of its own or as a part of the one that is running. `thread_id`, `session_id` and `user_id` come from `metadata`.

    chain.invoke(input, {"callbacks": [callback_handler("summary")], "metadata": {"session_id": "s-1"}})
    """
    from sightline._langgraph.run_handler import create_run_handler
    from sightline._langgraph.run_start import TracedGraph

    return create_run_handler(TracedGraph(_read_name(trace_name), any_root=True))


def _read_name(given: Any) -> str:
    """Empty where nothing usable was given."""
    name = text_of(given)
    if name is None and given is not None:
        warn("trace_name", f"trace_name was {kind_of(given)} and is left out; it takes {TEXTS}")
    return name or ""


def _trace_builder(builder: Any, trace_name: str) -> Any:
    compile_graph = builder.compile

    def compile_traced(*args: Any, **kwargs: Any) -> Any:
        compiled = compile_graph(*args, **(({"name": trace_name} if trace_name else {}) | kwargs))
        return _attach(compiled, trace_name) or compiled

    # An attribute of this builder alone, which stays an instance of the very class the application knows.
    builder.compile = compile_traced
    return builder


def _attach(compiled: Any, trace_name: str) -> Any:
    from sightline._langgraph.graph_structure import structure_of
    from sightline._langgraph.run_handler import create_run_handler
    from sightline._langgraph.run_start import TracedGraph

    own = TracedGraph(trace_name, quietly(lambda: structure_of(compiled)))
    return quietly(lambda: compiled.with_config(callbacks=[create_run_handler(own)]))

from __future__ import annotations

import hashlib
import json
import weakref
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

END = "__end__"
START = "__start__"
_MAX_DEPTH = 8

Edge = dict[str, Any]
"""`{from, to, conditional}` as the event schema has it."""


class Join(NamedTuple):
    sources: tuple[str, ...]
    target: str


class Drawing(NamedTuple):
    nodes: list[str]
    edges: list[Edge]
    hash: str
    """SHA-256 of both: equal graphs have equal hashes, in every process."""


class GraphStructure(NamedTuple):
    """What a graph was built of; tells where a step leads without looking at the clock."""

    routers: Mapping[str, Mapping[str, Mapping[str, str] | None]]
    """By node, then by the router's name: what its answers mean, where that was declared."""
    edges: Mapping[str, list[str]]
    """Targets of declared edges by node."""
    joins: list[Join]
    error_handlers: Mapping[str, str]
    """Names of error handlers by node."""
    code: Mapping[str, Any]
    """The functions of the nodes."""
    drawing: Drawing


_known: dict[int, tuple[weakref.ref[Any], GraphStructure]] = {}


def structure_of(compiled: Any) -> GraphStructure:
    """Reads the structure of a compiled graph. Copies with another configuration share the builder, and what was read of it.
    A structure is forgotten with its builder, as some applications build a graph for each request."""
    source = getattr(compiled, "builder", compiled)
    number = id(source)
    known = _known.get(number)
    if known is not None and known[0]() is source:
        return known[1]
    structure = _read_structure(compiled, 0)
    _known[number] = (weakref.ref(source, lambda _: _known.pop(number, None)), structure)
    return structure


def _read_structure(compiled: Any, depth: int) -> GraphStructure:
    builder = getattr(compiled, "builder", None)
    pregel_nodes: Mapping[str, Any] = getattr(compiled, "nodes", {})
    handlers = {
        name: handler for name, node in pregel_nodes.items() if (handler := getattr(node, "error_handler_node", None)) is not None
    }
    subgraphs = _subgraphs(pregel_nodes) if depth < _MAX_DEPTH else {}
    inner = {name: _read_structure(graph, depth + 1).drawing for name, graph in subgraphs.items()}
    if builder is None:
        # The functional API: an input channel leads to the functions that read it.
        entries = sorted(name for name, node in pregel_nodes.items() if START in getattr(node, "triggers", ()))
        edges = {START: entries}
        return GraphStructure({}, edges, [], handlers, pregel_nodes, _complete(compiled, handlers, inner))
    return GraphStructure(
        routers={
            node: {_router_name(name, branch): branch.ends for name, branch in named.items()}
            for node, named in builder.branches.items()
        },
        edges=_group(sorted(builder.edges)),
        joins=[Join(tuple(sources), target) for sources, target in sorted(builder.waiting_edges)],
        error_handlers=handlers,
        code={name: getattr(spec, "runnable", None) for name, spec in builder.nodes.items()},
        drawing=_complete(compiled, handlers, inner),
    )


def _router_name(name: str, branch: Any) -> str:
    """As its run is called. A router without a name gets one, and one that was made to say nothing of its runs does, so that
    where it led is known; what it does stays as it is."""
    path = branch.path
    if getattr(path, "name", name) is None:
        path.name = name
    if getattr(path, "trace", True) is False:
        path.trace = True
    return str(path.get_name())


def _subgraphs(nodes: Mapping[str, Any]) -> dict[str, Any]:
    """A node that runs several graphs does not say which of them is running."""
    found = {name: getattr(node, "subgraphs", None) or [] for name, node in nodes.items()}
    return {name: graphs[0] for name, graphs in found.items() if len(graphs) == 1}


def _complete(compiled: Any, handlers: Mapping[str, str], inner: Mapping[str, Drawing]) -> Drawing:
    """What LangGraph draws, and beside it: the ways to error handlers, the end after every node that leads nowhere else, and
    inner graphs as `node:inner`, so that a drawing can be folded at any level."""
    own = compiled.get_graph()
    edges = [_edge(edge.source, edge.target, conditional=edge.conditional) for edge in own.edges]
    edges += [_edge(node, handler, conditional=True) for node, handler in handlers.items()]
    leading = {edge["from"] for edge in edges}
    names = [str(name) for name in own.nodes]
    edges += [_edge(name, END, conditional=False) for name in names if name != END and name not in leading]
    nodes = [*names, END]
    for node, drawing in inner.items():
        nodes += [f"{node}:{name}" for name in drawing.nodes]
        edges += [
            _edge(f"{node}:{edge['from']}", f"{node}:{edge['to']}", conditional=edge["conditional"]) for edge in drawing.edges
        ]
    nodes = sorted(set(nodes))
    edges.sort(key=lambda edge: (edge["from"], edge["to"], edge["conditional"]))
    return Drawing(nodes, edges, hashlib.sha256(json.dumps([nodes, edges]).encode()).hexdigest())


def _edge(source: str, target: str, *, conditional: bool) -> Edge:
    return {"from": source, "to": target, "conditional": conditional}


def _group(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    grouped: dict[str, list[str]] = {}
    for source, target in pairs:
        grouped.setdefault(source, []).append(target)
    return grouped

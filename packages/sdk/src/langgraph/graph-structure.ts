import type { GraphEdge } from "../event/event.ts";

/** Maps what a router returns to the node it means. */
export type Router = { readonly ends: Readonly<Record<string, string>> | undefined };

/** What a graph was built of; tells where a step leads without looking at the clock. */
export type GraphStructure = {
  /** Names of its nodes; what a function calls as a task is none. */
  readonly nodes: ReadonlySet<string>;
  /** Routers by node, then by their own name. */
  readonly routers: ReadonlyMap<string, ReadonlyMap<string, Router>>;
  /** Targets of declared edges by node. */
  readonly edges: ReadonlyMap<string, readonly string[]>;
  readonly joins: readonly { readonly from: readonly string[]; readonly to: string }[];
  /** Names of error handlers by node. */
  readonly errorHandlers: ReadonlyMap<string, string>;
  /** Subgraphs by the node that runs them. */
  readonly subgraphs: ReadonlyMap<string, GraphStructure>;
  readonly drawing: { readonly nodes: readonly string[]; readonly edges: readonly GraphEdge[] };
};

type Drawing = {
  readonly nodes: Readonly<Record<string, unknown>>;
  readonly edges: readonly { readonly source: string; readonly target: string; readonly conditional?: boolean }[];
};
type Branch = {
  readonly path: { name?: string; trace?: boolean; readonly func?: { readonly name: string } };
  readonly ends?: Record<string, string>;
};
type Builder = {
  readonly edges?: Iterable<readonly [string, string]>;
  readonly waitingEdges?: Iterable<readonly [readonly string[], string]>;
  readonly branches?: Readonly<Record<string, Readonly<Record<string, Branch>>>>;
};
type Compiled = {
  readonly builder?: Builder;
  readonly nodes?: Readonly<Record<string, { readonly errorHandlerNode?: string }>>;
  readonly getGraph: () => Drawing;
  readonly getSubgraphs?: () => Iterable<readonly [string, Compiled]>;
};

const MAX_DEPTH = 8;
const END = "__end__";

/**
 * Reads a compiled graph, its subgraphs included. Their nodes are drawn as `node:inner`, beside the node that runs them, so that a
 * drawing can be folded at any level.
 */
export function readStructure(compiled: object, depth = 0): GraphStructure {
  const graph = compiled as Compiled;
  const { edges = [], waitingEdges = [], branches = {} } = graph.builder ?? {};
  const subgraphs = depth < MAX_DEPTH ? readSubgraphs(graph, depth) : new Map<string, GraphStructure>();
  const errorHandlers = new Map(
    Object.entries(graph.nodes ?? {}).flatMap(([name, node]) =>
      node.errorHandlerNode === undefined ? [] : [[name, node.errorHandlerNode] as const],
    ),
  );
  return {
    nodes: new Set(Object.keys(graph.nodes ?? {})),
    routers: nameRouters(branches),
    edges: groupByKey(edges),
    joins: [...waitingEdges].map(([from, to]) => ({ from, to })),
    errorHandlers,
    subgraphs,
    drawing: completeDrawing(graph.getGraph(), errorHandlers, subgraphs),
  };
}

/** A node that runs several graphs does not say which of them is running. */
function readSubgraphs(graph: Compiled, depth: number): Map<string, GraphStructure> {
  return new Map(
    [...groupByKey(graph.getSubgraphs?.() ?? [])].flatMap(([node, [first, second]]) =>
      first === undefined || second !== undefined ? [] : [[node, readStructure(first, depth + 1)] as const],
    ),
  );
}

/**
 * A router runs as a nameless lambda; with a name of its own its run can be told apart from the node's own lambdas. What it does stays
 * as it is.
 */
function nameRouters(branches: NonNullable<Builder["branches"]>): GraphStructure["routers"] {
  return new Map(
    Object.entries(branches).map(([node, named]) => [
      node,
      new Map(
        Object.entries(named).map(([name, branch]) => {
          const routerName = branch.path.name ?? (branch.path.func?.name || name);
          branch.path.name = routerName;
          // Those of agents that LangChain makes say nothing of their runs.
          branch.path.trace = true;
          return [routerName, { ends: branch.ends }] as const;
        }),
      ),
    ]),
  );
}

/** Beside what LangGraph draws: the ways to error handlers, and the end after every node that leads nowhere else. */
function completeDrawing(
  own: Drawing,
  errorHandlers: ReadonlyMap<string, string>,
  subgraphs: ReadonlyMap<string, GraphStructure>,
): GraphStructure["drawing"] {
  const drawn = [
    ...own.edges.map(({ source, target, conditional }) => ({
      from: unquote(source),
      to: unquote(target),
      conditional: conditional === true,
    })),
    ...[...errorHandlers].map(([from, to]) => ({ from, to, conditional: true })),
  ];
  const leading = new Set(drawn.map(({ from }) => from));
  const names = Object.keys(own.nodes).map(unquote);
  const ending = names.filter((name) => name !== END && !leading.has(name));
  const inner = [...subgraphs].map(([node, { drawing }]) => ({ drawing, inside: (name: string) => `${node}:${name}` }));
  return {
    nodes: [...new Set([...names, END]), ...inner.flatMap(({ drawing, inside }) => drawing.nodes.map(inside))],
    edges: [
      ...drawn,
      ...ending.map((from) => ({ from, to: END, conditional: false })),
      ...inner.flatMap(({ drawing, inside }) => drawing.edges.map((edge) => ({ ...edge, from: inside(edge.from), to: inside(edge.to) }))),
    ],
  };
}

function groupByKey<Value>(pairs: Iterable<readonly [string, Value]>): Map<string, Value[]> {
  const collected = new Map<string, Value[]>();
  for (const [key, value] of pairs) {
    const known = collected.get(key);
    if (known === undefined) {
      collected.set(key, [value]);
    } else {
      known.push(value);
    }
  }
  return collected;
}

/** LangGraph puts a name that is a word of Mermaid in quotes. */
function unquote(name: string): string {
  return name === '"subgraph"' ? "subgraph" : name;
}

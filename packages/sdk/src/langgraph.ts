/**
 * The LangGraph.js integration. It is a separate entry point because it imports `@langchain/langgraph`, which an application that
 * observes something else does not have.
 */
import { type Pregel, type StateDefinitionInit, StateGraph } from "@langchain/langgraph";
import { quietly } from "./capture/loose-values.ts";
import { type TracedGraphOptions, traceBuilder, traceCompiled } from "./langgraph/graph-builder.ts";

export type { TracedGraphOptions };

/**
 * A `StateGraph` like any other, whose compiled runs are traced: one trace per `invoke` or `stream`, with its nodes, tool calls and
 * model calls.
 *
 * @example
 * const graph = createTracedGraph(State, { traceName: "support-agent" })
 *   .addNode("answer", answer)
 *   .addEdge(START, "answer")
 *   .compile();
 */
export function createTracedGraph<State extends StateDefinitionInit>(stateType: State, options: TracedGraphOptions): StateGraph<State> {
  // The constructor's parameter is a conditional type, which stays unresolved while State is a type parameter.
  const builder = new StateGraph<State>(stateType as State extends StateDefinitionInit ? State : never);
  return traceGraph(builder, options);
}

/**
 * The same for a builder made by hand, with input, output and context schemas of its own: call it before nodes are added; it returns
 * the builder it was given. A graph that is compiled already, as `createAgent`, `createReactAgent` and `entrypoint` make them, is
 * copied, and the copy is traced.
 *
 * @example
 * const builder = traceGraph(new StateGraph(State, { context: Context }), { traceName: "support-agent" });
 * const agent = traceGraph(createAgent({ model, tools }), { traceName: "support-agent" });
 */
export function traceGraph<Graph extends StateGraph<unknown> | CompiledGraph | Agent>(graph: Graph, options: TracedGraphOptions): Graph {
  return quietly(() => trace(graph, options) as Graph) ?? graph;
}

function trace(graph: StateGraph<unknown> | CompiledGraph | Agent, options: TracedGraphOptions): unknown {
  if (graph instanceof StateGraph) {
    traceBuilder(graph, options);
    return graph;
  }
  return traceCompiled(graph, options);
}

/** What LangChain's `createAgent` returns. */
type Agent = { readonly graph: CompiledGraph };

/** What `compile` returns, whatever its state. */
type CompiledGraph = Pick<Pregel<never, never>, "lg_is_pregel">;

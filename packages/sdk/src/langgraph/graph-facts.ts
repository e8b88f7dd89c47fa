import { createHash } from "node:crypto";
import type { CodeReference, GraphEdge } from "../event/event.ts";
import type { GraphStructure } from "./graph-structure.ts";
import { recordGraph } from "../capture/recorder.ts";
import { sdkState } from "../client/sdk-state.ts";

/** What is known of a graph before it runs. */
export type GraphFacts = {
  /** Where the code of each node is. */
  readonly code: ReadonlyMap<string, CodeReference>;
  readonly structure: GraphStructure | undefined;
  readonly declared: DeclaredGraph | undefined;
};

/** What is known of a graph that is traced itself, not as a part of another. */
export type TracedGraphFacts = GraphFacts & {
  readonly traceName: string;
  /** Whether every outermost run becomes a trace, not only that of a graph. */
  readonly anyRoot?: boolean;
};

export type DeclaredGraph = { readonly hash: string; readonly nodes: readonly string[]; readonly edges: readonly GraphEdge[] };

const MAX_ANNOUNCED = 1000;

export function declareGraph({ nodes, edges }: GraphStructure["drawing"]): DeclaredGraph {
  const hash = createHash("sha256")
    .update(JSON.stringify([nodes, edges]))
    .digest("hex");
  return { hash, nodes, edges };
}

/** What is known of the graph that a node of this one runs. */
export function factsOfSubgraph(facts: GraphFacts | undefined, node: unknown): GraphFacts | undefined {
  const structure = typeof node === "string" ? facts?.structure?.subgraphs.get(node) : undefined;
  return structure === undefined ? undefined : { code: new Map(), structure, declared: undefined };
}

/** Says each declared graph once per producer. */
export function announceGraph(facts: TracedGraphFacts): void {
  const announced = sdkState.publisher?.announcedGraphs;
  if (facts.declared === undefined || announced === undefined) {
    return;
  }
  const key = `${facts.traceName}\n${facts.declared.hash}`;
  if (!announced.has(key)) {
    if (announced.size >= MAX_ANNOUNCED) {
      announced.clear();
    }
    announced.add(key);
    recordGraph({ name: facts.traceName, ...facts.declared });
  }
}

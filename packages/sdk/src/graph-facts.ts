import { createHash } from "node:crypto";
import type { CodeReference, GraphEdge } from "./event.ts";
import { recordGraph } from "./recorder.ts";
import { sdkState } from "./sdk-state.ts";

/** Maps what a router returns to the node it means. */
export type Router = { readonly ends: Readonly<Record<string, string>> | undefined };

/** What is known of a graph before it runs. */
export type GraphFacts = {
  readonly traceName: string;
  /** By node. */
  readonly code: ReadonlyMap<string, CodeReference>;
  /** By node, then by the router's name. */
  readonly routers: ReadonlyMap<string, ReadonlyMap<string, Router>>;
  readonly declared: DeclaredGraph | undefined;
};

export type DeclaredGraph = { readonly hash: string; readonly nodes: readonly string[]; readonly edges: readonly GraphEdge[] };

const MAXIMUM_REMEMBERED = 1000;
let announcedBy: string | undefined;
const announced = new Set<string>();

export function declareGraph(nodes: readonly string[], edges: readonly GraphEdge[]): DeclaredGraph {
  const hash = createHash("sha256")
    .update(JSON.stringify([nodes, edges]))
    .digest("hex");
  return { hash, nodes, edges };
}

/** Says each declared graph once per producer. */
export function announceGraph(facts: GraphFacts): void {
  const producerId = sdkState.publisher?.producerId;
  if (facts.declared === undefined || producerId === undefined) {
    return;
  }
  if (producerId !== announcedBy || announced.size >= MAXIMUM_REMEMBERED) {
    announced.clear();
    announcedBy = producerId;
  }
  const key = `${facts.traceName}\n${facts.declared.hash}`;
  if (!announced.has(key)) {
    announced.add(key);
    recordGraph({ name: facts.traceName, ...facts.declared });
  }
}

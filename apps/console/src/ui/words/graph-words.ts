import type { TakenEdge } from "@sightline/observability/contract";

/** A node of a graph inside a node (`outer:inner`) by its path; LangGraph's `__start__` and `__end__` in words. */
export function graphNodeWords(name: string): string {
  return name.split(":").map(graphNodeLabel).join(" › ");
}

export function graphNodeLabel(name: string): string {
  return name === "__start__" ? "Start" : name === "__end__" ? "End" : name;
}

/** How a graph came to take an edge. */
export const EDGE_WORDS: Readonly<Record<TakenEdge["via"], string>> = {
  static: "declared edge",
  conditional: "condition",
  goto: "goto of a Command",
  send: "fan-out (Send)",
  join: "join of branches",
  error: "after an error",
  unknown: "unknown",
};

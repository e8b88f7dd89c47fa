import type { ObservationKind } from "@sightline/observability/contract";

const KINDS: Readonly<Record<ObservationKind, string>> = {
  graph: "Graph",
  node: "Node",
  tool: "Tool",
  llm: "Model",
  retriever: "Retriever",
  span: "Span",
};

/** The kind in words; the trace itself has none. */
export function kindLabel(kind: ObservationKind | undefined): string {
  return kind === undefined ? "Trace" : KINDS[kind];
}

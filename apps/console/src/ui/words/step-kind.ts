import type { ObservationKind } from "@sightline/observability/contract";

const KINDS: Readonly<Record<ObservationKind, string>> = {
  graph: "Graph",
  node: "Node",
  tool: "Tool",
  llm: "Model",
  retriever: "Retriever",
  span: "Span",
};

/** In words; the trace itself has no kind. */
export function kindLabel(kind: ObservationKind | undefined): string {
  return kind === undefined ? "Trace" : KINDS[kind];
}

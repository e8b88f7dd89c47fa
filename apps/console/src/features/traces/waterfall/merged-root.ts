import type { Step, StepTree, TraceDigest } from "@sightline/observability/contract";

/** What a model or a tool did is a step of its own, whatever it is called. */
const OWN = new Set<Step["kind"]>(["llm", "tool", "retriever"]);

/** The only step that a trace begins with, of its own name: what instrumentations record of the same run twice, and one row shows. */
export function mergedRoot({ name }: Pick<TraceDigest, "name">, { nodes }: StepTree): Step | undefined {
  const [root] = nodes;
  const isOnly = root !== undefined && root.after === nodes.length && root.step.parent_id === null;
  return isOnly && root.step.name === name && !OWN.has(root.step.kind) ? root.step : undefined;
}

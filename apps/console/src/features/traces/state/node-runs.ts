import type { Step } from "@sightline/observability/contract";
import { byStart } from "#features/traces/graph/graph-model.ts";

/** The runs of nodes in the order of their start. */
export function listNodeRuns(steps: readonly Step[]): readonly Step[] {
  return byStart(steps.filter(({ kind, graph_node: node }) => kind === "node" || node !== null));
}

/** The run that is selected, or in which the selected step lies; without one the first. */
export function runAt(runs: readonly Step[], steps: readonly Step[], selected: string): number {
  const places = new Map(runs.map((run, index) => [run.id, index]));
  const byId = new Map(steps.map((step) => [step.id, step]));
  const seen = new Set<string>();
  for (let id: string | null = selected; id !== null && !seen.has(id);) {
    seen.add(id);
    const place = places.get(id);
    if (place !== undefined) {
      return place;
    }
    id = byId.get(id)?.parent_id ?? null;
  }
  return 0;
}

/** The first run of the step after this one's in the same graph: it was given the state that this one's step left. */
export function runAfter(run: Step, runs: readonly Step[]): Step | undefined {
  return runs.find((other) => isOfTheSameGraph(other, run) && isLater(other, run));
}

/** Those that ran in the same step of the same graph: the state after it is theirs together. */
export function runsBeside(run: Step, runs: readonly Step[]): readonly Step[] {
  const { graph_step: step } = run;
  return step === null
    ? []
    : runs.filter(
        (other) => other.id !== run.id && isOfTheSameGraph(other, run) && other.graph_step === step && other.graph_node !== run.graph_node,
      );
}

function isOfTheSameGraph(left: Step, right: Step): boolean {
  return left.parent_id === right.parent_id && graphOf(left) === graphOf(right);
}

function graphOf({ graph_node: node }: Step): string {
  return node?.split(":").slice(0, -1).join(":") ?? "";
}

function isLater(other: Step, run: Step): boolean {
  if (other.graph_step !== null && run.graph_step !== null) {
    return other.graph_step > run.graph_step && timeOf(other) >= timeOf(run);
  }
  return run.duration_ms !== null && timeOf(other) >= timeOf(run) + run.duration_ms;
}

function timeOf({ started_at: at }: Step): number {
  return Date.parse(at);
}

import type { Step } from "#contract.ts";
import type { Failures } from "#trace-facts/find-failures.ts";
import type { StepTree } from "#trace-facts/step-tree.ts";

/** A step in which a failure arose, who caught it, and how many failed alike. */
export type Failure = { readonly step: Step; readonly caughtBy: Step | undefined; readonly times: number };

/** Failures that arose in the step at a place (-1: in the trace) and below it: that in `first`, then the last ones first. */
export function groupFailures(
  { nodes, places }: StepTree,
  { causes, caughtBy }: Failures<Step>,
  { at, first }: { readonly at: number; readonly first: Step | undefined },
): readonly Failure[] {
  const after = nodes[at]?.after ?? nodes.length;
  const inside = causes.filter(({ id }) => {
    const place = places.get(id) ?? -1;
    return place >= at && place < after;
  });
  const endOf = (step: Step) => (step === first ? Infinity : Date.parse(step.ended_at ?? step.started_at));
  const ordered = inside.toSorted((one, other) => endOf(other) - endOf(one));
  const alike = Map.groupBy(ordered, ({ id, kind, name, error }) => JSON.stringify([kind, name, error, caughtBy.get(id)?.name]));
  return [...alike.values()].flatMap(([last, ...before]) =>
    last === undefined ? [] : [{ step: last, caughtBy: caughtBy.get(last.id), times: before.length + 1 }],
  );
}

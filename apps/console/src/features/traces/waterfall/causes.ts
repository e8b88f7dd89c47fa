import { findFailures, type Failures, type Step, type TraceDigest } from "@sightline/observability/contract";
import type { StepTree } from "./step-tree.ts";

export type FailedTrace = Pick<TraceDigest, "id" | "status" | "error">;

/** Where the failures of a trace arose, and of which it died. */
export function failuresIn({ nodes }: StepTree, trace: FailedTrace): Failures<Step> {
  return findFailures(
    nodes.map(({ step }) => step),
    trace,
  );
}

/** The places in which failures arose; -1 is the trace itself. */
export function causePlaces({ places }: StepTree, { causes, isOwn }: Failures<Step>): ReadonlySet<number> {
  return new Set([...(isOwn ? [-1] : []), ...causes.flatMap(({ id }) => places.get(id) ?? [])]);
}

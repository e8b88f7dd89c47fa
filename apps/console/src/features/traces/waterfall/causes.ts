import type { Failures, Step, StepTree } from "@sightline/observability/contract";

/** The places in which failures arose; -1 is the trace itself. */
export function causePlaces({ places }: StepTree, { causes, isOwn }: Failures<Step>): ReadonlySet<number> {
  return new Set([...(isOwn ? [-1] : []), ...causes.flatMap(({ id }) => places.get(id) ?? [])]);
}

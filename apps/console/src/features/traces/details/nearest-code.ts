import type { Step } from "@sightline/observability/contract";

/** The step itself or the nearest one around it of which the code is known: tools and models seldom say where they are called. */
export function nearestCode(steps: readonly Step[], step: Step): Step | undefined {
  const byId = new Map(steps.map((each) => [each.id, each]));
  const seen = new Set<string>();
  for (let next: Step | undefined = step; next !== undefined && !seen.has(next.id); next = byId.get(next.parent_id ?? "")) {
    if (next.code !== null) {
      return next;
    }
    seen.add(next.id);
  }
  return undefined;
}

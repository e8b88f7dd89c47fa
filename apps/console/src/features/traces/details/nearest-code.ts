import type { Step } from "@sightline/observability/contract";

/** The repository and commit of a step's code, else of any in its trace. */
export function codeOrigin(steps: readonly Step[], step: Step | undefined): Pick<NonNullable<Step["code"]>, "repo" | "commit"> {
  const near = step === undefined ? undefined : nearestCode(steps, step);
  return [near, ...steps].find((each) => each?.code?.repo !== undefined)?.code ?? {};
}

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

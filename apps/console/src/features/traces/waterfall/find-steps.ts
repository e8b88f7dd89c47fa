import { type ObservationKind, type Step, type StepTree, observationKindSchema } from "@sightline/observability/contract";

export type StepFilter = {
  /** In a step's name, model, error or code, in either case. */
  readonly text: string;
  readonly kind: ObservationKind | undefined;
  readonly only: "failures" | "critical" | undefined;
};

/** A filter as it stands in the page's address; what means nothing is as if it were not there. */
export function readFilter(search: Partial<Readonly<Record<"find" | "kind" | "only", string | undefined>>>): StepFilter {
  return {
    text: search.find ?? "",
    kind: observationKindSchema.safeParse(search.kind).data,
    only: search.only === "failures" || search.only === "critical" ? search.only : undefined,
  };
}

/** The places of the steps that were looked for; undefined when nothing narrows. `path` is the critical one, `causes` where failures arose. */
export function findSteps(
  tree: StepTree,
  { text, kind, only }: StepFilter,
  { path, causes }: Readonly<Record<"path" | "causes", { has(at: number): boolean }>>,
): ReadonlySet<number> | undefined {
  const words = text.trim().toLowerCase();
  if (words === "" && kind === undefined && only === undefined) {
    return undefined;
  }
  const found = new Set<number>();
  for (const [at, { step }] of tree.nodes.entries()) {
    if (
      (kind === undefined || step.kind === kind) &&
      (only !== "failures" || causes.has(at)) &&
      (only !== "critical" || path.has(at)) &&
      (words === "" || wordsOf(step).includes(words))
    ) {
      found.add(at);
    }
  }
  return found;
}

function wordsOf({ name, model, error, code, graph_node: node }: Step): string {
  return [name, model, error, code?.file, code?.function, node].join("\n").toLowerCase();
}

/**
 * The place after (or before) another in which a failure arose, round and round.
 *
 * @returns its place; undefined when nothing failed
 */
export function nextFailure(causes: ReadonlySet<number>, from: number, direction: 1 | -1): number | undefined {
  const failures = [...causes].toSorted((left, right) => left - right);
  const ahead = direction === 1 ? failures.find((at) => at > from) : failures.findLast((at) => at < from);
  return ahead ?? (direction === 1 ? failures[0] : failures.at(-1));
}

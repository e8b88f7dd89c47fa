import type { Step } from "@sightline/observability/contract";

/** A step in its place. Nodes stand in the order in which a tree shows them, each followed by all that is below it. */
export type StepNode = {
  readonly step: Step;
  /** Where its parent stands; -1 below the trace itself. */
  readonly parent: number;
  /** 1 for those right below the trace. */
  readonly depth: number;
  /** Where the first node stands that is not below it any more. */
  readonly after: number;
  /** Milliseconds since the epoch. */
  readonly start: number;
  /** Undefined while it runs, and of what was abandoned. */
  readonly end: number | undefined;
  /** It names a parent that never arrived. */
  readonly isOrphan: boolean;
};

export type StepTree = {
  readonly nodes: readonly StepNode[];
  /** Where a step stands, by its id. */
  readonly places: ReadonlyMap<string, number>;
  /** The deepest level; 0 without steps. */
  readonly depth: number;
};

/**
 * Steps as a tree. What has no parent, or one that never arrived, hangs from the trace; of parents that lead in a circle,
 * which no run can produce, the first one does.
 */
export function stepTree(steps: readonly Step[]): StepTree {
  const known = new Set(steps.map(({ id }) => id));
  const children = Map.groupBy(steps, ({ parent_id: parent }) => (parent !== null && known.has(parent) ? parent : undefined));
  const placed: Placed[] = [];
  const places = new Map<string, number>();
  for (const root of [...(children.get(undefined) ?? []), ...steps]) {
    // A stack instead of recursion: agents can nest deeper than the call stack.
    const waiting: Placed[] = [{ step: root, parent: -1, depth: 1 }];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { step, depth } = next;
      if (!places.has(step.id)) {
        const at = placed.push(next) - 1;
        places.set(step.id, at);
        for (const child of (children.get(step.id) ?? []).toReversed()) {
          waiting.push({ step: child, parent: at, depth: depth + 1 });
        }
      }
    }
  }
  const after = subtreeEnds(placed);
  return {
    nodes: placed.map(({ step, parent, depth }, at) => ({
      step,
      parent,
      depth,
      after: after[at] ?? at + 1,
      ...timesOf(step),
      isOrphan: step.parent_id !== null && !known.has(step.parent_id),
    })),
    places,
    depth: placed.reduce((deepest, { depth }) => Math.max(deepest, depth), 0),
  };
}

type Placed = { readonly step: Step; readonly parent: number; readonly depth: number };

function subtreeEnds(placed: readonly Placed[]): readonly number[] {
  const after = placed.map((_, at) => at + 1);
  for (let at = placed.length - 1; at >= 0; at -= 1) {
    const parent = placed[at]?.parent ?? -1;
    if (parent >= 0) {
      after[parent] = Math.max(after[parent] ?? 0, after[at] ?? 0);
    }
  }
  return after;
}

function timesOf({ started_at: started, ended_at: ended, duration_ms: duration }: Step): Pick<StepNode, "start" | "end"> {
  const start = Date.parse(started);
  if (duration !== null) {
    return { start, end: start + duration };
  }
  // Clocks of producers differ, but no step is over before it began.
  return { start, end: ended === null ? undefined : Math.max(start, Date.parse(ended)) };
}

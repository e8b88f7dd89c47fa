import type { Step } from "#contract/trace.ts";

export type TreeStep = Pick<Step, "id" | "parent_id">;

/** A step in its place. Nodes stand in the order in which a tree shows them, each followed by all that is below it. */
export type StepNode<Of extends TreeStep = Step> = {
  readonly step: Of;
  /** Where its parent stands; -1 below the trace itself. */
  readonly parent: number;
  /** 1 for those right below the trace. */
  readonly depth: number;
  /** Where the first node stands that is not below it any more. */
  readonly after: number;
  /** It names a parent that never arrived. */
  readonly isOrphan: boolean;
};

export type StepTree<Of extends TreeStep = Step> = {
  readonly nodes: readonly StepNode<Of>[];
  /** Where a step stands, by its id. */
  readonly places: ReadonlyMap<string, number>;
  /** The deepest level; 0 without steps. */
  readonly depth: number;
};

type Placed<Of extends TreeStep> = Pick<StepNode<Of>, "step" | "parent" | "depth">;

/**
 * Steps as a tree; siblings keep their order. What has no parent, or one that never arrived, hangs from the trace; of parents that lead in a
 * circle, which no run can produce, the first one does. Takes O(steps), however deep they are.
 */
export function growTree<Of extends TreeStep>(steps: readonly Of[]): StepTree<Of> {
  const known = new Set(steps.map(({ id }) => id));
  const children = Map.groupBy(steps, ({ parent_id: parent }) => (parent !== null && known.has(parent) ? parent : undefined));
  const placed: Placed<Of>[] = [];
  const places = new Map<string, number>();
  for (const root of [...(children.get(undefined) ?? []), ...steps]) {
    // A stack instead of recursion: agents can nest deeper than the call stack.
    const waiting: Placed<Of>[] = [{ step: root, parent: -1, depth: 1 }];
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
    nodes: placed.map((node, at) => ({
      ...node,
      after: after[at] ?? at + 1,
      isOrphan: node.step.parent_id !== null && !known.has(node.step.parent_id),
    })),
    places,
    depth: placed.reduce((deepest, { depth }) => Math.max(deepest, depth), 0),
  };
}

function subtreeEnds(placed: readonly { readonly parent: number }[]): readonly number[] {
  const after = placed.map((_, at) => at + 1);
  for (let at = placed.length - 1; at >= 0; at -= 1) {
    const parent = placed[at]?.parent ?? -1;
    if (parent >= 0) {
      after[parent] = Math.max(after[parent] ?? 0, after[at] ?? 0);
    }
  }
  return after;
}

/** Where the steps right below a place stand, in their order; -1 is the trace itself. */
export function childPlaces({ nodes }: StepTree<TreeStep>, at: number): readonly number[] {
  const places: number[] = [];
  const end = at < 0 ? nodes.length : (nodes[at]?.after ?? 0);
  for (let child = at + 1; child < end; child = nodes[child]?.after ?? end) {
    places.push(child);
  }
  return places;
}

/** Where the steps around a place stand, the nearest first. */
export function ancestorPlaces({ nodes }: StepTree<TreeStep>, at: number): readonly number[] {
  const places: number[] = [];
  for (let above = nodes[at]?.parent ?? -1; above >= 0; above = nodes[above]?.parent ?? -1) {
    places.push(above);
  }
  return places;
}

/** Places, and those of all steps around them. */
export function withAncestors({ nodes }: StepTree<TreeStep>, places: Iterable<number>): ReadonlySet<number> {
  const all = new Set<number>();
  for (const place of places) {
    for (let at = place; at >= 0 && !all.has(at); at = nodes[at]?.parent ?? -1) {
      all.add(at);
    }
  }
  return all;
}

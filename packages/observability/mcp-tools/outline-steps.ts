import { childPlaces, withAncestors, type StepNode, type StepTree } from "#trace-facts/step-tree.ts";

/** A line of an outline: a step, or several alike that came one after the other. */
export type OutlineLine = {
  readonly depth: number;
  readonly node: StepNode;
  /** Steps below it. */
  readonly inside: number;
  readonly alike: readonly StepNode[];
  readonly isClosed: boolean;
};

type Bounds = {
  /** Where the step stands that is outlined; -1 is the trace. */
  readonly at: number;
  readonly maxDepth: number;
  readonly maxLines: number;
  /** Places of {@link failingPlaces}. */
  readonly failing: ReadonlySet<number>;
};

/** Fewer are told one by one. */
const ALIKE = 3;

/** Steps that failed, and those around them. */
export function failingPlaces(tree: StepTree): ReadonlySet<number> {
  return withAncestors(
    tree,
    tree.nodes.flatMap(({ step }, place) => (step.status === "failure" ? [place] : [])),
  );
}

/** A step, or all of a trace, down to a depth, and on the way to failures at any depth. */
export function outlineSteps(tree: StepTree, { at, maxDepth, maxLines, failing }: Bounds): readonly OutlineLine[] {
  const lines: OutlineLine[] = [];
  const open = groupAlike(tree, at < 0 ? childPlaces(tree, at) : [at], 1).toReversed();
  for (let next = open.pop(); next !== undefined && lines.length < maxLines; next = open.pop()) {
    const { depth, places } = next;
    const alike = places.flatMap((place) => tree.nodes[place] ?? []);
    const [first = 0] = places;
    const [node] = alike;
    if (node === undefined) {
      continue;
    }
    const children = childPlaces(tree, first);
    const shown = depth < maxDepth ? children : children.filter((place) => failing.has(place));
    lines.push({ depth, node, inside: node.after - first - 1, alike, isClosed: children.length > 0 && shown.length === 0 });
    open.push(...groupAlike(tree, shown, depth + 1).toReversed());
  }
  return lines;
}

type Group = { readonly depth: number; readonly places: readonly number[] };

/** Neighbours without steps of their own that do and end the same stand together. */
function groupAlike(tree: StepTree, places: readonly number[], depth: number): readonly Group[] {
  const groups: number[][] = [];
  for (const place of places) {
    const last = groups.at(-1);
    if (last !== undefined && isAlike(tree, last[0] ?? -1, place)) {
      last.push(place);
    } else {
      groups.push([place]);
    }
  }
  return groups
    .flatMap((group) => (group.length >= ALIKE ? [group] : group.map((place) => [place])))
    .map((group) => ({ depth, places: group }));
}

function isAlike({ nodes }: StepTree, one: number, other: number): boolean {
  const [left, right] = [nodes[one], nodes[other]];
  return (
    left?.after === one + 1 &&
    right?.after === other + 1 &&
    left.step.kind === right.step.kind &&
    left.step.name === right.step.name &&
    left.step.status === right.step.status
  );
}

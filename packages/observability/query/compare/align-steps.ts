import { childPlaces, growTree, type StepTree, type TreeStep } from "#trace-facts/step-tree.ts";
import { matchLists } from "./match-lists.ts";

export type AlignableStep = TreeStep & {
  readonly kind: string;
  readonly name: string;
  /** Stands for its content: steps of one name with equal content belong together before others. */
  readonly content: string;
};

/** A step of one run beside that of the other. One of them is there at least. */
export type Aligned<Step> = {
  readonly a: Step | undefined;
  readonly b: Step | undefined;
  /** Steps above it. */
  readonly depth: number;
  /** It ran at another place among its siblings. */
  readonly isMoved: boolean;
};

/**
 * Steps of two runs side by side, from the top: below two that belong together those of equal kind and name are looked for, in the order in
 * which they ran. What only one run has stands where it ran, with everything below it.
 * Swapping the runs swaps the sides; a run aligned with itself is equal throughout.
 */
export function alignSteps<Step extends AlignableStep>(a: readonly Step[], b: readonly Step[]): readonly Aligned<Step>[] {
  const [treeA, treeB] = [growTree(a), growTree(b)];
  const rows: Aligned<Step>[] = [];
  // A stack of its own: a run may be as deep as it is long.
  const waiting = siblings(children(treeA, -1), children(treeB, -1), 0).toReversed();
  for (let row = waiting.pop(); row !== undefined; row = waiting.pop()) {
    rows.push(row);
    const below = siblings(childrenBelow(treeA, row.a), childrenBelow(treeB, row.b), row.depth + 1);
    for (const child of below.toReversed()) {
      waiting.push(child);
    }
  }
  return rows;
}

function childrenBelow<Step extends AlignableStep>(tree: StepTree<Step>, step: Step | undefined): readonly Step[] {
  const at = step === undefined ? undefined : tree.places.get(step.id);
  return at === undefined ? [] : children(tree, at);
}

function children<Step extends AlignableStep>(tree: StepTree<Step>, at: number): readonly Step[] {
  return childPlaces(tree, at).flatMap((place) => tree.nodes[place]?.step ?? []);
}

/** In the order of `b`; what only `a` has comes before what followed it there. */
function siblings<Step extends AlignableStep>(a: readonly Step[], b: readonly Step[], depth: number): readonly Aligned<Step>[] {
  const matches = matchLists(a.map(keysOf), b.map(keysOf));
  const matchOf = new Map(matches.map((match) => [match.b, match]));
  const matchedInA = new Set(matches.map((match) => match.a));
  const rows: Aligned<Step>[] = [];
  let passed = 0;
  const passUntil = (end: number): void => {
    for (; passed < end; passed += 1) {
      if (!matchedInA.has(passed)) {
        rows.push({ a: a[passed], b: undefined, depth, isMoved: false });
      }
    }
  };
  for (const [inB, step] of b.entries()) {
    const match = matchOf.get(inB);
    if (match !== undefined && !match.isMoved) {
      passUntil(match.a);
    }
    rows.push({ a: match === undefined ? undefined : a[match.a], b: step, depth, isMoved: match?.isMoved ?? false });
  }
  passUntil(a.length);
  return rows;
}

function keysOf({ kind, name, content }: AlignableStep) {
  return { name: `${kind} ${name}`, exact: content };
}

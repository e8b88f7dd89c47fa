import type { FirstParents } from "#store/index/first-parents.ts";

/** A commit on the path between two, whose changes are undone (`undo`) or made. */
export type Step = { readonly position: number; readonly undo: boolean };

type StepRange = {
  readonly from: number;
  /** Where it ends; at the oldest first parent that is kept, which is undone, too, when left out. */
  readonly to?: number | undefined;
  /** The steps that are wanted; all when left out. */
  readonly wanted?: (position: number) => boolean;
};

/**
 * The one way between two commits along first parents: back from one to the commit that both began from, then forward to the other. What
 * each commit changed against its first parent is all it takes to go it. `undefined` where they have no first parent in common.
 */
export function stepsBetween(firstParents: FirstParents, { from, to, wanted = () => true }: StepRange): readonly Step[] | undefined {
  const undone: Step[] = [];
  const redone: Step[] = [];
  let [one, other]: [number | undefined, number | undefined] = [from, to];
  while (one !== undefined && one !== other) {
    // A child's position is higher than its parents'.
    if (other === undefined || one > other) {
      if (wanted(one)) {
        undone.push({ position: one, undo: true });
      }
      one = firstParents.of(one);
    } else {
      if (wanted(other)) {
        redone.push({ position: other, undo: false });
      }
      other = firstParents.of(other);
      if (other === undefined) {
        return undefined;
      }
    }
  }
  return one === undefined && to !== undefined ? undefined : [...undone, ...redone.toReversed()];
}

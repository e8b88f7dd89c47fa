import { stepTimes, type Span, type TimedStep } from "./step-times.ts";
import { childPlaces, type StepTree, type TreeStep } from "./step-tree.ts";

/** For each step on the path, by its place in the tree, when the end of the trace waited for it and for nothing below it. */
export type CriticalPath = ReadonlyMap<number, readonly Span[]>;

type Child = { readonly at: number; readonly window: Span };

/** Starts are whole milliseconds and durations are not, so what came one after the other can seem to overlap by that much. */
const TOLERANCE_MS = 1;

/**
 * What the end of a trace waited for, backwards from it: of a step the child that ended last, of what was before that one
 * began the child that ended last by then, and so on down. Of parallel children only the slowest is on it. What a step left
 * running when it ended counts up to there; what began only afterwards doesn't.
 *
 * @param span of the whole trace; steps without an end count as running up to its end
 */
export function criticalPath(tree: StepTree<TreeStep & TimedStep>, span: Span): CriticalPath {
  const path = new Map<number, Span[]>();
  const waiting: Child[] = [{ at: -1, window: span }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { at, window } = next;
    let until = window.end;
    const own: Span[] = [];
    for (const child of lastFirst(tree, at, window)) {
      const { start, end } = child.window;
      if (end <= until || (end <= until + TOLERANCE_MS && start < until)) {
        if (end < until) {
          own.push({ start: end, end: until });
        }
        waiting.push({ at: child.at, window: { start, end: Math.min(end, until) } });
        until = start;
      }
    }
    if (until > window.start) {
      own.push({ start: window.start, end: until });
    }
    if (at >= 0) {
      path.set(at, own.toReversed());
    }
  }
  return path;
}

/** Children within the time that counts of their parent, those first that ended last; of two that ended together the longer one. */
function lastFirst(tree: StepTree<TreeStep & TimedStep>, parent: number, window: Span): readonly Child[] {
  return childPlaces(tree, parent)
    .flatMap((at) => {
      const node = tree.nodes[at];
      if (node === undefined) {
        return [];
      }
      const ran = stepTimes(node.step);
      const start = Math.max(ran.start, window.start);
      const end = Math.min(ran.end ?? window.end, window.end);
      return start > window.end || end < window.start ? [] : [{ at, window: { start, end: Math.max(start, end) } }];
    })
    .toSorted((left, right) => right.window.end - left.window.end || left.window.start - right.window.start);
}

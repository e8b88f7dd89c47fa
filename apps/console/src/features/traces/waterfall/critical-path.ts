import type { Span } from "./waterfall.ts";
import type { StepNode, StepTree } from "./step-tree.ts";

/** For each step on the path, by its place in the tree, when the end of the trace waited for it and for nothing below it. */
export type CriticalPath = ReadonlyMap<number, readonly Span[]>;

/** Starts are whole milliseconds and durations are not, so what came one after the other can seem to overlap by that much. */
const TOLERANCE_MS = 1;

/**
 * What the end of a trace waited for, backwards from it: of a step the child that ended last, of what was before that one
 * began the child that ended last by then, and so on down. Of parallel children only the slowest is on it. What a step left
 * running when it ended counts up to there; what began only afterwards doesn't.
 *
 * @param span of the whole trace; steps without an end count as running up to its end
 */
export function criticalPath({ nodes }: StepTree, span: Span): CriticalPath {
  const children = Map.groupBy(nodes.keys(), (at) => nodes[at]?.parent ?? -1);
  const path = new Map<number, Span[]>();
  const waiting: { readonly at: number; readonly window: Span }[] = [{ at: -1, window: span }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { at, window } = next;
    let until = window.end;
    const own: Span[] = [];
    for (const child of lastFirst(children.get(at) ?? [], nodes, window)) {
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
function lastFirst(places: readonly number[], nodes: readonly StepNode[], window: Span): readonly { at: number; window: Span }[] {
  return places
    .flatMap((at) => {
      const node = nodes[at];
      if (node === undefined) {
        return [];
      }
      const start = Math.max(node.start, window.start);
      const end = Math.min(node.end ?? window.end, window.end);
      return start > window.end || end < window.start ? [] : [{ at, window: { start, end: Math.max(start, end) } }];
    })
    .toSorted((left, right) => right.window.end - left.window.end || left.window.start - right.window.start);
}

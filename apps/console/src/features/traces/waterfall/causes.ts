import type { Step } from "@sightline/observability/contract";
import type { StepTree } from "./step-tree.ts";

function isFailed({ status }: Pick<Step, "status">): boolean {
  return status === "failure";
}

/** Where failures arose: the failed steps below which none failed. Those around them only passed one on. */
export function causesIn({ nodes }: StepTree): ReadonlySet<number> {
  const causes = new Set<number>();
  // Until here it is known that nothing failed; nodes stand before what is below them.
  let failedAt = Infinity;
  for (let at = nodes.length - 1; at >= 0; at -= 1) {
    const node = nodes[at];
    if (node !== undefined && isFailed(node.step)) {
      if (failedAt >= node.after) {
        causes.add(at);
      }
      failedAt = at;
    }
  }
  return causes;
}

/** The step in which the failure of another arose: the last cause below it, or of the whole trace. Undefined when it arose in the step itself. */
export function causeOf(tree: StepTree, id: string): Step | undefined {
  const at = tree.places.get(id) ?? -1;
  const end = at < 0 ? tree.nodes.length : (tree.nodes[at]?.after ?? 0);
  const cause = [...causesIn(tree)].filter((place) => place > at && place < end).toSorted((left, right) => right - left)[0];
  return cause === undefined ? undefined : tree.nodes[cause]?.step;
}

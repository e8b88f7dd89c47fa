import type { TraceSummary } from "#contract/explore.ts";
import type { Step } from "#contract/trace.ts";
import { passesOn, reasonIn } from "./passes-on.ts";
import type { StepTree } from "./step-tree.ts";

export type FailingStep = Pick<Step, "id" | "parent_id" | "status" | "error" | "started_at" | "ended_at">;

export type Failures<Of extends FailingStep> = {
  /** Steps in which a failure arose, in the order of the tree. */
  readonly causes: readonly Of[];
  /** By the id of a step that failed, the step in which that failure arose: itself, or one below it. */
  readonly causeOf: ReadonlyMap<string, Of>;
  /** By the id of a step in which a failure arose, the step that caught it. */
  readonly caughtBy: ReadonlyMap<string, Of>;
  /** The step in which the failure arose of which the trace died; undefined when that is of the trace itself, or there is none. */
  readonly reason: Of | undefined;
  /** The trace failed with an error of its own, which is a failure beside those of its steps. */
  readonly isOwn: boolean;
};

/**
 * Tells where failures of a trace arose. A step that fails passes on what failed right below it when its error is that one's
 * ({@link passesOn}), of several the one with the same text, and the last of these; else its failure is one of its own. The same holds for the
 * trace and the steps at its top. So a failure that was caught ends at the step around it that went on: one that succeeded, or that waits for
 * a person.
 */
export function findFailures<Of extends FailingStep>(
  { nodes }: StepTree<Of>,
  trace: Pick<TraceSummary, "status"> & Pick<Step, "error">,
): Failures<Of> {
  const failed = nodes.filter(({ step }) => step.status === "failure");
  const failedBelow = Map.groupBy(failed, ({ parent }) => parent);
  const below = (at: number) => (failedBelow.get(at) ?? []).map(({ step }) => step);
  const causeOf = new Map<string, Of>();
  // From the end, so that the causes of all that is below a step are known before it.
  for (const [at, { step }] of [...nodes.entries()].toReversed()) {
    if (step.status === "failure") {
      const passed = passedOn(step.error, below(at));
      causeOf.set(step.id, (passed && causeOf.get(passed.id)) ?? step);
    }
  }
  const caught = failed.flatMap(({ step, parent }) => {
    const [cause, around] = [causeOf.get(step.id), nodes[parent]?.step];
    return cause !== undefined && around !== undefined && hasCaught(around, step) ? [[cause.id, around] as const] : [];
  });
  const top = trace.status === "failure" ? passedOn(trace.error, below(-1)) : undefined;
  return {
    causes: failed.map(({ step }) => step).filter((step) => causeOf.get(step.id) === step),
    causeOf,
    caughtBy: new Map(caught),
    reason: top && causeOf.get(top.id),
    isOwn: trace.status === "failure" && top === undefined,
  };
}

/** Which of the failures right below is passed on by an error; undefined when none is. */
function passedOn<Of extends FailingStep>(error: string | null, below: readonly Of[]): Of | undefined {
  const possible = below.filter((step) => passesOn(error, step.error));
  const equal = possible.filter((step) => reasonIn(step.error) === reasonIn(error));
  return (equal.length > 0 ? equal : possible).toSorted((one, other) => endOf(one) - endOf(other)).at(-1);
}

/** What ended before a failure in it arose did not catch it. */
function hasCaught(parent: FailingStep, step: FailingStep): boolean {
  return (parent.status === "success" || parent.status === "interrupted") && endOf(parent) >= endOf(step);
}

function endOf({ started_at: start, ended_at: end }: FailingStep): number {
  return Date.parse(end ?? start);
}

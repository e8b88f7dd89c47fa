import type { StepAspect } from "#contract.ts";
import type { Aligned } from "./align-steps.ts";
import type { LoadedStep } from "./load-run.ts";

const ASPECTS: readonly StepAspect[] = ["status", "error", "model", "parameters", "input", "output", "code"];
const VALUES = ["input", "output", "parameters"] as const;

export type ValueAspect = (typeof VALUES)[number];

export type JudgedStep = Aligned<LoadedStep> & {
  readonly aspects: ReadonlySet<StepAspect>;
};

/** What tells two aligned steps apart as far as digests can say: of values only that they are not the same text. */
export function judgeStep(row: Aligned<LoadedStep>): JudgedStep {
  const { a, b } = row;
  const differ = (aspect: StepAspect): boolean =>
    a !== undefined && b !== undefined && (a.digests[aspect] !== b.digests[aspect] || a.digests[aspect] === undefined);
  return { ...row, aspects: new Set(ASPECTS.filter(differ)) };
}

export function isValueAspect(aspect: StepAspect): aspect is ValueAspect {
  return VALUES.some((value) => value === aspect);
}

export function outcomeOf({ a, b, aspects }: JudgedStep): "same" | "changed" | "only_a" | "only_b" {
  if (a === undefined) {
    return "only_b";
  }
  if (b === undefined) {
    return "only_a";
  }
  // Another commit runs every step at another one; what came of it is what counts.
  return [...aspects].some((aspect) => aspect !== "code") ? "changed" : "same";
}

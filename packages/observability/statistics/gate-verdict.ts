import { holm } from "./many-scores.ts";
import type { Comparison } from "./paired.ts";
import { orient, type Direction, type JudgeOptions } from "./verdict.ts";

/** `passed`: surely not worse by more than the margin; `worse`: surely worse, and by the margin or more as observed. */
export type GateVerdict = "passed" | "worse" | "inconclusive";

/** A margin of 0.1 is met by 10 of 100 items, whatever rounding says. */
const ROUNDING = 1e-9;

/** Judges one primary score by its one-sided limits, with the comparison's confidence each. */
export function judgeGate({ difference, limits }: Comparison, { direction, margin }: JudgeOptions): GateVerdict {
  const { value, low, high } = orient({ value: difference.value, ...limits }, direction);
  if (low >= -margin - ROUNDING) {
    return "passed";
  }
  return high < 0 && value <= -margin + ROUNDING ? "worse" : "inconclusive";
}

export type GateScore = JudgeOptions & { readonly comparison: Comparison };

/**
 * Judges primary scores together: passed if all pass, without correction; worse if any is, with Holm's correction, since of ten scores one
 * would seem worse by chance.
 *
 * @returns The verdict, and each score's in the order of `scores`.
 */
export function judgeGates(scores: readonly GateScore[]): { readonly verdict: GateVerdict; readonly each: readonly GateVerdict[] } {
  const adjusted = holm(scores.map(({ comparison, direction }) => worsePValue(comparison, direction)));
  const each = scores.map(({ comparison, ...options }, at) => {
    const verdict = judgeGate(comparison, options);
    return verdict === "worse" && (adjusted[at] ?? 1) > 1 - comparison.confidence + ROUNDING ? "inconclusive" : verdict;
  });
  const isAll = each.every((verdict) => verdict === "passed");
  return { verdict: each.includes("worse") ? "worse" : isAll ? "passed" : "inconclusive", each };
}

function worsePValue({ difference, pValue }: Comparison, direction: Direction): number {
  return orient(difference, direction).value < 0 ? pValue / 2 : 1 - pValue / 2;
}

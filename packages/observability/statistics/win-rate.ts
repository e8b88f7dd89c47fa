import type { Interval } from "./intervals.ts";
import { comparePairs, type Procedure } from "./paired.ts";
import { judge, type Judgement } from "./verdict.ts";

/** One item of which two outputs were compared: the parts of its answers (people, repetitions) that prefer one and the other; the rest are ties. */
export type ComparedItem = { readonly won: number; readonly lost: number; readonly cluster: string | undefined };

export type WinRate = Interval &
  Pick<Judgement, "verdict" | "detectable" | "itemsNeeded"> & { readonly procedure: Procedure; readonly pValue: number };

/**
 * How often one of two is preferred, ties as halves: (1 + d) / 2 of the difference d between wins and losses. These are paired booleans of an item, of
 * which at most one is true, so {@link comparePairs} gives the interval, the verdict and the p-value of d = 0, which is the sign test's.
 *
 * @param isSingle Every item has one answer.
 * @param margin From one half: 0.1 takes 0.4 to 0.6 for the same.
 * @returns Null without items.
 */
export function winRate(
  items: readonly ComparedItem[],
  { isSingle, margin }: { readonly isSingle: boolean; readonly margin: number },
): WinRate | null {
  const comparison = comparePairs(
    items.map(({ won, lost, cluster }) => ({ candidate: won, baseline: lost, cluster })),
    { isSingleBoolean: isSingle },
  );
  if (comparison === null) {
    return null;
  }
  const { difference, procedure, pValue } = comparison;
  const { verdict, detectable, itemsNeeded } = judge(comparison, { direction: "higher", margin: 2 * margin });
  return {
    value: rateOf(difference.value),
    low: rateOf(difference.low),
    high: rateOf(difference.high),
    verdict,
    detectable: detectable === null ? null : detectable / 2,
    itemsNeeded,
    procedure,
    pValue,
  };
}

/** Student's interval may reach beyond what there can be. */
function rateOf(difference: number): number {
  return (1 + Math.min(Math.max(difference, -1), 1)) / 2;
}

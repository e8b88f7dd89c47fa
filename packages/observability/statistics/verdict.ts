import { normalQuantile, studentQuantile } from "./distributions.ts";
import type { Interval } from "./intervals.ts";
import { FEW_DISCORDANT, type Comparison } from "./paired.ts";

/** Which values of a score are better. */
export type Direction = "higher" | "lower";

/** @param margin In units of the score: a smaller difference does not matter. */
export type JudgeOptions = { readonly direction: Direction; readonly margin: number };

/**
 * - `better`, `worse`: the whole interval is on one side of 0, however near;
 * - `same`: the whole interval is within ± margin;
 * - `too_few`: fewer than 6 clusters changed, which could be chance whatever they say;
 * - `unclear`: none of these: more items would tell.
 */
export type PairedVerdict = "better" | "worse" | "same" | "unclear" | "too_few";

export type Judgement = {
  readonly verdict: PairedVerdict;
  /** Whether the whole interval is within ± margin, as it may be of what is better or worse. */
  readonly isWithinMargin: boolean;
  /** The true difference which as many items find in four of five experiments; null if it is more than the score can differ by. */
  readonly detectable: number | null;
  /** About how many items in all find a difference of the margin in four of five experiments; null where nothing at all can vary, or without a margin. */
  readonly itemsNeeded: number | null;
};

const POWER = 0.8;

export function judge(comparison: Comparison, { direction, margin }: JudgeOptions): Judgement {
  const { low, high } = orient(comparison.difference, direction);
  const isWithinMargin = low >= -margin && high <= margin;
  return {
    verdict: verdictOf({ low, high, isWithinMargin, isFew: comparison.discordantClusters < FEW_DISCORDANT }),
    isWithinMargin,
    ...planned(comparison, margin),
  };
}

/** The same interval of a difference of which more is better. */
export function orient(interval: Interval, direction: Direction): Interval {
  const { value, low, high } = interval;
  return direction === "higher" ? interval : { value: -value, low: -high, high: -low };
}

type Found = { readonly low: number; readonly high: number; readonly isWithinMargin: boolean; readonly isFew: boolean };

function verdictOf({ low, high, isWithinMargin, isFew }: Found): PairedVerdict {
  if (isFew) {
    return isWithinMargin ? "same" : "too_few";
  }
  return low > 0 ? "better" : high < 0 ? "worse" : isWithinMargin ? "same" : "unclear";
}

/**
 * By the variance of paired differences, never by the observed difference: power at what was observed says only what the p-value does
 * (Hoenig and Heisey, 2001).
 */
function planned({ confidence, error, freedom, items, scale }: Comparison, margin: number): Pick<Judgement, "detectable" | "itemsNeeded"> {
  const level = (1 + confidence) / 2;
  const detectable = (studentQuantile(level, freedom) + studentQuantile(POWER, freedom)) * error;
  const needed = items * (((normalQuantile(level) + normalQuantile(POWER)) * error) / margin) ** 2;
  return {
    detectable: detectable <= scale ? detectable : null,
    itemsNeeded: Number.isFinite(needed) && needed > 0 ? Math.ceil(needed) : null,
  };
}

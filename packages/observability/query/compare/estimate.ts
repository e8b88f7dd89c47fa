import type { ComparedFigure, Estimate, SetVerdict } from "#contract.ts";
import { percentileAmong } from "#query/columns/percentiles.ts";
import { independentDifference, meanInterval, percentileRanks, sample, welch, wilson, type Interval } from "#statistics/intervals.ts";

/** Fewer traces say nothing; below the second a 95th percentile has no upper end. */
const [FEW, FEW_FOR_P95] = [30, 80];

type Share = { readonly count: number; readonly of: number };

export function compareShares(a: Share, b: Share): ComparedFigure {
  return compare(estimateShare(a), estimateShare(b), independentDifference);
}

export function compareMeans(a: Float64Array, b: Float64Array): ComparedFigure {
  const [left, right] = [sample(a), sample(b)];
  const estimate = (side: typeof left) => (side.of === 0 ? null : { ...meanInterval(side), of: side.of });
  return compare(estimate(left), estimate(right), () => welch(left, right));
}

/** @param a Ascending, as `b` is. */
export function comparePercentiles(a: Float64Array, b: Float64Array, part: number): ComparedFigure {
  return compare(estimatePercentile(a, part), estimatePercentile(b, part), independentDifference, part > 0.5 ? FEW_FOR_P95 : FEW);
}

function estimateShare({ count, of }: Share): Estimate | null {
  return of === 0 ? null : { ...wilson(count, of), of };
}

function estimatePercentile(sorted: Float64Array, part: number): Estimate | null {
  const at = (place: number) => percentileAmong(sorted, place) ?? 0;
  const [low, high] = percentileRanks(part, sorted.length);
  return sorted.length === 0 ? null : { value: at(part), low: at(low), high: at(high), of: sorted.length };
}

/** @param difference of B less A. */
function compare(a: Estimate | null, b: Estimate | null, difference: (a: Interval, b: Interval) => Interval, few = FEW): ComparedFigure {
  if (a === null || b === null) {
    return { a, b, difference: null, verdict: "unknown" };
  }
  const found = difference(a, b);
  return { a, b, difference: found, verdict: Math.min(a.of, b.of) < few ? "too_few" : judge(found) };
}

function judge({ low, high }: Interval): SetVerdict {
  return low > 0 ? "higher" : high < 0 ? "lower" : "unclear";
}

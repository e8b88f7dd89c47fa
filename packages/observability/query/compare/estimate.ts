import type { ComparedFigure, Estimate, SetVerdict } from "#contract.ts";
import { percentileAmong } from "#query/columns/percentiles.ts";
import {
  criticalValue,
  independentDifference,
  meanInterval,
  percentileRanks,
  sample,
  welch,
  wilson,
  type Interval,
} from "#statistics/intervals.ts";

/** Fewer traces say nothing; below the second a 95th percentile has no upper end. */
const [FEW, FEW_FOR_P95] = [30, 80];
/** Of hundreds of figures that are looked at together, one in twenty would seem to have changed by chance alone. */
export const OF_MANY = criticalValue(0.999);

type Share = { readonly count: number; readonly of: number };

/** @param z critical value of the difference, by which it is judged; what either side has is told with 95 %. */
export function compareShares(a: Share, b: Share, z?: number): ComparedFigure {
  const estimate = (side: Share) => (side.of === 0 ? null : { ...wilson(side.count, side.of), of: side.of });
  const interval = (side: Share) => wilson(side.count, side.of, z);
  return compare(estimate(a), estimate(b), () => independentDifference(interval(a), interval(b)));
}

export function compareMeans(a: Float64Array, b: Float64Array): ComparedFigure {
  const [left, right] = [sample(a), sample(b)];
  const estimate = (side: typeof left) => (side.of === 0 ? null : { ...meanInterval(side), of: side.of });
  return compare(estimate(left), estimate(right), () => welch(left, right));
}

/** @param a Ascending, as `b` is. */
export function comparePercentiles(a: Float64Array, b: Float64Array, part: number, z?: number): ComparedFigure {
  const interval = (sorted: Float64Array, wanted?: number): Interval => {
    const at = (place: number) => percentileAmong(sorted, place) ?? 0;
    const [low, high] = percentileRanks(part, sorted.length, wanted);
    return { value: at(part), low: at(low), high: at(high) };
  };
  const estimate = (sorted: Float64Array) => (sorted.length === 0 ? null : { ...interval(sorted), of: sorted.length });
  const difference = () => independentDifference(interval(a, z), interval(b, z));
  return compare(estimate(a), estimate(b), difference, part > 0.5 ? FEW_FOR_P95 : FEW);
}

/** @param difference of B less A. */
function compare(a: Estimate | null, b: Estimate | null, difference: () => Interval, few = FEW): ComparedFigure {
  if (a === null || b === null) {
    return { a, b, difference: null, verdict: "unknown" };
  }
  const of = Math.min(a.of, b.of);
  // One number says nothing of how others lie.
  const found = of < 2 ? null : difference();
  return { a, b, difference: found, verdict: of < few || found === null ? "too_few" : judge(found) };
}

function judge({ low, high }: Interval): SetVerdict {
  return low > 0 ? "higher" : high < 0 ? "lower" : "unclear";
}

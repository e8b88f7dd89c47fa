import type { ComparedFigure, Estimate, SetVerdict } from "#contract.ts";
import { percentileAmong, sumOf } from "#query/columns/percentiles.ts";

/** A normal distribution's 95%. */
const Z = 1.96;
const FEW = 30;
/** Below it the range of a 95th percentile has no upper end. */
export const FEW_FOR_P95 = 80;

/** A share and Wilson's interval, which also holds where nothing or everything is counted. */
export function estimateShare(count: number, of: number): Estimate | null {
  if (of === 0) {
    return null;
  }
  const value = count / of;
  const middle = (value + Z ** 2 / (2 * of)) / (1 + Z ** 2 / of);
  const reach = (Z / (1 + Z ** 2 / of)) * Math.sqrt((value * (1 - value)) / of + Z ** 2 / (4 * of ** 2));
  return { value, low: Math.max(middle - reach, 0), high: Math.min(middle + reach, 1), of };
}

export function estimateMean(numbers: Float64Array): Estimate | null {
  const { length } = numbers;
  if (length === 0) {
    return null;
  }
  const value = sumOf(numbers) / length;
  const squares = numbers.reduce((sum, number) => sum + (number - value) ** 2, 0);
  const reach = length === 1 ? 0 : (Z * Math.sqrt(squares / (length - 1))) / Math.sqrt(length);
  return { value, low: value - reach, high: value + reach, of: length };
}

/** A percentile of ascending numbers and, by the binomial distribution of ranks, between which two of them it lies. */
export function estimatePercentile(sorted: Float64Array, part: number): Estimate | null {
  const reach = Z * Math.sqrt((part * (1 - part)) / sorted.length);
  const at = (place: number) => percentileAmong(sorted, place) ?? 0;
  return sorted.length === 0
    ? null
    : { value: at(part), low: at(Math.max(part - reach, 0)), high: at(Math.min(part + reach, 1)), of: sorted.length };
}

export function compareEstimates(a: Estimate | null, b: Estimate | null, few = FEW): ComparedFigure {
  return { a, b, verdict: verdictOf(a, b, few) };
}

function verdictOf(a: Estimate | null, b: Estimate | null, few: number): SetVerdict {
  if (a === null || b === null) {
    return "unknown";
  }
  if (Math.min(a.of, b.of) < few) {
    return "too_few";
  }
  return b.low > a.high ? "higher" : b.high < a.low ? "lower" : "unclear";
}

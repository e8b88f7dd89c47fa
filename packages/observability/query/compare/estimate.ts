import type { ComparedFigure, Estimate, SetVerdict } from "#contract.ts";

/** A normal distribution's 95%. */
const Z = 1.96;
const FEW = 30;
/** Below it the range of a 95th percentile has no upper end. */
export const FEW_FOR_P95 = 80;

/** A share and Wilson's interval, which also holds where nothing or everything is counted. */
export function shareOf(count: number, of: number): Estimate | null {
  if (of === 0) {
    return null;
  }
  const value = count / of;
  const middle = (value + Z ** 2 / (2 * of)) / (1 + Z ** 2 / of);
  const reach = (Z / (1 + Z ** 2 / of)) * Math.sqrt((value * (1 - value)) / of + Z ** 2 / (4 * of ** 2));
  return { value, low: Math.max(middle - reach, 0), high: Math.min(middle + reach, 1), of };
}

export function meanOf({ count, mean, deviation }: { count: number; mean: number | null; deviation: number | null }): Estimate | null {
  if (mean === null) {
    return null;
  }
  const reach = (Z * (deviation ?? 0)) / Math.sqrt(count);
  return { value: mean, low: mean - reach, high: mean + reach, of: count };
}

export function percentileOf(spread: readonly [number, number, number] | null, of: number): Estimate | null {
  return spread === null ? null : { value: spread[0], low: spread[1], high: spread[2], of };
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

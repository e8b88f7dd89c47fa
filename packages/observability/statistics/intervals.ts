import { normalQuantile, studentQuantile } from "./distributions.ts";

/** A number, and between which two the true one lies with a confidence. */
export type Interval = { readonly value: number; readonly low: number; readonly high: number };

const CONFIDENCE = 0.95;

/** How many standard errors an interval reaches to each side. Worked out once for a confidence: a table of steps asks for thousands of intervals. */
export function criticalValue(confidence: number): number {
  return normalQuantile((1 + confidence) / 2);
}

const Z = criticalValue(CONFIDENCE);

/** A share with Wilson's score interval (1927), which holds where nothing or everything is counted, too. */
export function wilson(count: number, of: number, z = Z): Interval {
  const value = count / of;
  const scale = 1 + z ** 2 / of;
  const middle = (value + z ** 2 / (2 * of)) / scale;
  const reach = (z / scale) * Math.sqrt((value * (1 - value)) / of + z ** 2 / (4 * of ** 2));
  // At the ends of the scale rounding leaves the last digit.
  return { value, low: count === 0 ? 0 : middle - reach, high: count === of ? 1 : middle + reach };
}

/**
 * The difference b − a of two independent figures by their intervals, the method of variance estimates recovery (Donner and Zou, 2012); of two
 * shares with Wilson's intervals that is Newcombe's hybrid score interval (1998, method 10).
 */
export function independentDifference(a: Interval, b: Interval): Interval {
  const value = b.value - a.value;
  return {
    value,
    low: value - Math.hypot(b.value - b.low, a.high - a.value),
    high: value + Math.hypot(b.high - b.value, a.value - a.low),
  };
}

/** The mean, the variance of single numbers (Bessel's), and how many there are. */
export type Sample = { readonly mean: number; readonly variance: number; readonly of: number };

export function sample(numbers: ArrayLike<number>): Sample {
  const of = numbers.length;
  // From the first number on, so that of numbers that are all the same no rounding is left, which would seem to be a difference.
  const first = numbers[0] ?? Number.NaN;
  let sum = 0;
  for (let at = 0; at < of; at += 1) {
    sum += (numbers[at] ?? 0) - first;
  }
  const mean = first + sum / of;
  let squares = 0;
  for (let at = 0; at < of; at += 1) {
    squares += ((numbers[at] ?? 0) - mean) ** 2;
  }
  return { mean, variance: of > 1 ? squares / (of - 1) : 0, of };
}

/** The mean with Student's interval. */
export function meanInterval({ mean, variance, of }: Sample, confidence = CONFIDENCE): Interval {
  const reach = of > 1 ? studentQuantile((1 + confidence) / 2, of - 1) * Math.sqrt(variance / of) : 0;
  return { value: mean, low: mean - reach, high: mean + reach };
}

/** The difference b − a of two independent means whose variances may differ (Welch, 1947). */
export function welch(a: Sample, b: Sample, confidence = CONFIDENCE): Interval {
  const value = b.mean - a.mean;
  const [partA, partB] = [a.variance / a.of, b.variance / b.of];
  const error = Math.sqrt(partA + partB);
  const freedom = (partA + partB) ** 2 / (partA ** 2 / (a.of - 1) + partB ** 2 / (b.of - 1));
  const reach = error === 0 ? 0 : studentQuantile((1 + confidence) / 2, freedom) * error;
  return { value, low: value - reach, high: value + reach };
}

/** Between which two parts of all numbers a percentile of them lies, by the binomial distribution of ranks. */
export function percentileRanks(part: number, of: number, z = Z): readonly [low: number, high: number] {
  const reach = z * Math.sqrt((part * (1 - part)) / of);
  return [Math.max(part - reach, 0), Math.min(part + reach, 1)];
}

import { criticalValue, wilson, type Interval } from "./intervals.ts";

/** How many items a person calls true and false, by what the judge calls them. */
export type Confusion = Readonly<Record<"truePositive" | "falseNegative" | "falsePositive" | "trueNegative", number>>;

/** How many items the judge has called true and false in all. */
export type Judged = { readonly positive: number; readonly negative: number };

/** `truePositive`: of what people call true, how much the judge does; `trueNegative`: of what they call false. */
export type JudgeRates = { readonly truePositive: Interval; readonly trueNegative: Interval };

/**
 * What a judge is right in, with Wilson's limits. Where people labelled one verdict more often than the other, each label stands for as many items as the
 * judge gave this verdict (C. Begg and R. Greenes, 1983), and the limits are those of as many labels as tell the rate as exactly.
 *
 * @param judged Undefined where labels are a sample of all that was judged.
 * @returns Undefined while people have called nothing true, or nothing false.
 */
export function judgeRates(labels: Confusion, judged?: Judged): JudgeRates | undefined {
  const { truePositive, falseNegative, falsePositive, trueNegative } = labels;
  const labelled = { positive: truePositive + falsePositive, negative: trueNegative + falseNegative };
  const of = judged ?? labelled;
  if (truePositive + falseNegative === 0 || trueNegative + falsePositive === 0) {
    return undefined;
  }
  const positive = { weight: labelled.positive === 0 ? 1 : of.positive / labelled.positive, labelled: labelled.positive, of: of.positive };
  const negative = { weight: labelled.negative === 0 ? 1 : of.negative / labelled.negative, labelled: labelled.negative, of: of.negative };
  return {
    truePositive: weightedRate({ ...positive, count: truePositive }, { ...negative, count: falseNegative }),
    trueNegative: weightedRate({ ...negative, count: trueNegative }, { ...positive, count: falsePositive }),
  };
}

type Part = { readonly count: number; readonly weight: number; readonly labelled: number; readonly of: number };

function weightedRate(right: Part, wrong: Part): Interval {
  const rate = (right.count * right.weight) / (right.count * right.weight + wrong.count * wrong.weight);
  // Half an item more on each side, so that there is a variance where all are right; and of each verdict as many more.
  const [more, less] = [right.count + 0.5, wrong.count + 0.5];
  const part = (more * right.weight) / (more * right.weight + less * wrong.weight);
  const known = (each: Part) => 1 / (each.of + 1) - 1 / (each.labelled + 1);
  const variance = 1 / more + 1 / less + known(right) + known(wrong);
  const asMany = Math.max(1 / (variance * part * (1 - part)) - 1, Number.EPSILON);
  return wilson(rate * asMany, asMany);
}

/**
 * The rate of what is true, from the rate of what a judge calls true: W. Rogan and B. Gladen's estimate (1978), between 0 and 1, with the interval of
 * Z. Lang and J. Reiczigel (2014), which holds the errors of all three rates.
 *
 * @param raw What the judge calls true; its interval says how exactly that is known.
 * @returns Undefined where the judge is no better than chance: then its rate says nothing.
 */
export function correctedRate(raw: Interval, { truePositive, trueNegative }: JudgeRates): Interval | undefined {
  if (truePositive.value + trueNegative.value <= 1) {
    return undefined;
  }
  const z = criticalValue(0.95);
  const called = adjust(raw, z ** 2);
  const [sensitivity, specificity] = [adjust(truePositive, 2), adjust(trueNegative, 2)];
  const better = sensitivity.rate + specificity.rate - 1;
  const rate = (called.rate + specificity.rate - 1) / better;
  const [missed, wrong] = [rate * sensitivity.variance, (1 - rate) * specificity.variance];
  const middle = rate + 2 * z ** 2 * (missed - wrong);
  const reach = (z * Math.sqrt(called.variance + rate * missed + (1 - rate) * wrong)) / Math.abs(better);
  const value = (raw.value + trueNegative.value - 1) / (truePositive.value + trueNegative.value - 1);
  return { value: within(value), low: within(middle - reach), high: within(middle + reach) };
}

/** A rate of as many more items, half of them true, and its variance. */
function adjust(rate: Interval, more: number): { readonly rate: number; readonly variance: number } {
  const of = countOf(rate);
  const adjusted = (rate.value * of + more / 2) / (of + more);
  return { rate: adjusted, variance: (adjusted * (1 - adjusted)) / (of + more) };
}

/** Of how many items a rate is, by the width of Wilson's interval of it: of clustered items, as many as tell it as exactly. */
function countOf({ value, low, high }: Interval): number {
  const z = criticalValue(0.95);
  // width² = z² (4 value (1 − value) n + z²) / (n + z²)²
  const [width, spread] = [(high - low) ** 2 / z ** 2, 4 * value * (1 - value)];
  const [a, b, c] = [width, 2 * width * z ** 2 - spread, width * z ** 4 - z ** 2];
  return a === 0 ? Number.MAX_SAFE_INTEGER : Math.max((-b + Math.sqrt(Math.max(b ** 2 - 4 * a * c, 0))) / (2 * a), 0);
}

const within = (value: number) => Math.min(Math.max(value, 0), 1);

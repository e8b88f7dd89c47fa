import { studentQuantile } from "./distributions.ts";
import { sample, wilson, type Interval } from "./intervals.ts";
import { clusteredError, unitsOf, type ItemValue } from "./units.ts";

const LEVEL = 0.975;
const ROUNDING = 1e-9;

/**
 * One experiment's own score: the mean over items with its 95 % interval. Not for comparing two, which {@link comparePairs} does.
 *
 * Booleans have Wilson's interval. Values from 0 to 1 with repetitions or clusters have it, too, of as many independent items as would vary
 * as much (E. Korn and B. Graubard, 1998), so that it holds where all pass; others have Student's with clustered errors.
 *
 * @param isSingleBoolean Every value is one boolean, not an average over repetitions.
 * @returns Null without items, and of one number beyond 0 to 1, which says nothing of others.
 */
export function scoreInterval(values: readonly ItemValue[], isSingleBoolean: boolean): Interval | null {
  if (values.length === 0) {
    return null;
  }
  const units = unitsOf(values);
  const { mean } = sample(values.map(({ value }) => value));
  const error = clusteredError(units, mean, values.length);
  if (values.every(({ value }) => value >= 0 && value <= 1)) {
    const isSimple = isSingleBoolean && units.length === values.length;
    const effective = isSimple ? values.length : error < ROUNDING ? units.length : (mean * (1 - mean)) / error ** 2;
    // Few clusters know their own variance badly, which Student's quantile allows for.
    return isSimple || units.length < 2
      ? wilson(mean * effective, effective)
      : wilson(mean * effective, effective, studentQuantile(LEVEL, units.length - 1));
  }
  return measureInterval(values);
}

/**
 * The same of what was measured, such as dollars or seconds, which is no share of anything even where it is below 1: Student's interval with clustered errors.
 *
 * @returns Null of fewer than two independent items, which say nothing of others.
 */
export function measureInterval(values: readonly ItemValue[]): Interval | null {
  const units = unitsOf(values);
  if (units.length < 2) {
    return null;
  }
  const { mean } = sample(values.map(({ value }) => value));
  const error = clusteredError(units, mean, values.length);
  const reach = studentQuantile(LEVEL, units.length - 1) * error;
  return { value: mean, low: mean - reach, high: mean + reach };
}

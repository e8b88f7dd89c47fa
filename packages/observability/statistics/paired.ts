import { normalQuantile, studentCdf, studentQuantile } from "./distributions.ts";
import { sample, type Interval } from "./intervals.ts";
import { signFlip } from "./sign-flip.ts";
import { exactMcNemar, midPMcNemar, tangoLimits, type Changes } from "./tango.ts";
import { clusteredError, unitsOf, type Unit } from "./units.ts";

/** One item's values in both experiments, averaged over its repetitions (booleans are 0 and 1). Both are finite. */
export type Pair = {
  readonly baseline: number;
  readonly candidate: number;
  /** Items that share an issue, a session or a user are not independent; without it the item stands for itself. */
  readonly cluster?: string | undefined;
};

/**
 * - `tango`: Tango's score interval, of booleans;
 * - `student`: Student's interval of the differences of 30 units and more (a unit is a cluster, or an item without one);
 * - `sign_flip`: of fewer units;
 * - `changed_only`: fewer than 6 units changed, from which no variance can be told: Tango's interval of those that changed, as if they had
 *   changed by the whole scale.
 */
export type Procedure = "tango" | "student" | "sign_flip" | "changed_only";

/** The difference candidate − baseline, in units of the score. */
export type Comparison = {
  readonly procedure: Procedure;
  /** Such as 0.95: of `difference` both ends together, of `limits` each by itself. */
  readonly confidence: number;
  readonly difference: Interval;
  readonly limits: { readonly low: number; readonly high: number };
  /** Two-sided, by the same procedure. */
  readonly pValue: number;
  /** Mid-p McNemar's, of booleans with one repetition. */
  readonly midP: number | null;
  readonly items: number;
  /** As many as items where none is shared. */
  readonly clusters: number;
  /** Items whose values differ. */
  readonly discordant: number;
  /** Clusters whose sums differ, by which `too_few` is judged. */
  readonly discordantClusters: number;
  /** The standard error of the difference, and its degrees of freedom (infinite: normal). */
  readonly error: number;
  readonly freedom: number;
  /** The largest difference there can be: 1 for values from 0 to 1, otherwise from 0 to the farthest value. */
  readonly scale: number;
};

export type CompareOptions = {
  readonly confidence?: number;
  /** Every value is one boolean, not an average over repetitions. */
  readonly isSingleBoolean: boolean;
  /** Of random choices of signs, for 13 to 29 clusters. */
  readonly seed?: number;
};

/** Below it, differences are flipped instead of trusted to be normal. */
const FEW_UNITS = 30;
/** Five changed units, all in one direction, are no rarer than 1 in 16. */
export const FEW_DISCORDANT = 6;
const ROUNDING = 1e-12;

/** Chooses the one procedure from which interval, verdict and p-value come. @returns Null without pairs. */
export function comparePairs(pairs: readonly Pair[], { confidence = 0.95, isSingleBoolean, seed = 1 }: CompareOptions): Comparison | null {
  if (pairs.length === 0) {
    return null;
  }
  const scale = scaleOf(pairs);
  const units = unitsOf(pairs.map((pair) => ({ value: differenceOf(pair), cluster: pair.cluster })));
  const items = pairs.length;
  const { mean: value } = sample(pairs.map(differenceOf));
  const changes = countChanges(units, scale);
  const isTango = isSingleBoolean && units.length === items && pairs.every(isBoolean);
  const error = clusteredError(units, value, items);
  const found = isTango ? tango(changes) : compareUnits({ units, changes, value, error, scale, seed });
  const [tail, both] = [1 - confidence, (1 - confidence) / 2];
  const [low, high] = found.limits(both);
  const [oneLow, oneHigh] = found.limits(tail);
  const isFew = changes.gained + changes.lost < FEW_DISCORDANT;
  return {
    procedure: found.procedure,
    confidence,
    difference: { value, low, high },
    limits: { low: oneLow, high: oneHigh },
    pValue: found.pValue,
    midP: isTango ? midPMcNemar(changes.gained, changes.lost) : null,
    items,
    clusters: units.length,
    discordant: pairs.filter((pair) => Math.abs(differenceOf(pair)) > ROUNDING * scale).length,
    discordantClusters: changes.gained + changes.lost,
    // Where nearly nothing changed the interval knows more of what may change than the variance does.
    error: isFew ? Math.max(error, (high - low) / 2 / normalQuantile(1 - both)) : error,
    freedom: isTango || isFew ? Infinity : units.length - 1,
    scale,
  };
}

type Found = {
  readonly procedure: Procedure;
  readonly pValue: number;
  readonly limits: (tail: number) => readonly [low: number, high: number];
};

function tango(changes: Changes): Found {
  const { gained, lost } = changes;
  const z = gained === lost ? 0 : Math.abs(gained - lost) / Math.sqrt(gained + lost);
  return { procedure: "tango", pValue: 2 * (1 - studentCdf(z, Infinity)), limits: (tail) => tangoLimits(changes, tail) };
}

type Units = {
  readonly units: readonly Unit[];
  readonly changes: Changes;
  readonly value: number;
  readonly error: number;
  readonly scale: number;
  readonly seed: number;
};

function compareUnits({ units, changes, value, error, scale, seed }: Units): Found {
  const { gained, lost } = changes;
  if (gained + lost < FEW_DISCORDANT) {
    return {
      procedure: "changed_only",
      pValue: exactMcNemar(gained, lost),
      limits: (tail) => {
        const [low, high] = tangoLimits(changes, tail);
        return [Math.min(low * scale, value), Math.max(high * scale, value)];
      },
    };
  }
  const freedom = units.length - 1;
  const student = (tail: number): readonly [number, number] => {
    const reach = studentQuantile(1 - tail, freedom) * error;
    return [value - reach, value + reach];
  };
  if (units.length >= FEW_UNITS) {
    const pValue = value === 0 ? 1 : 2 * (1 - studentCdf(Math.abs(value) / error, freedom));
    return { procedure: "student", pValue, limits: student };
  }
  const flipped = signFlip(units, seed);
  return {
    procedure: "sign_flip",
    pValue: flipped.pValue,
    // Six units cannot reach 99 %.
    limits: (tail) => (flipped.limits(tail).every(Number.isFinite) ? flipped.limits(tail) : student(tail)),
  };
}

function countChanges(units: readonly Unit[], scale: number): Changes {
  const isChange = (sum: number) => sum > ROUNDING * scale;
  return {
    gained: units.filter(({ sum }) => isChange(sum)).length,
    lost: units.filter(({ sum }) => isChange(-sum)).length,
    of: units.length,
  };
}

function scaleOf(pairs: readonly Pair[]): number {
  let [low, high] = [0, 0];
  for (const { baseline, candidate } of pairs) {
    low = Math.min(low, baseline, candidate);
    high = Math.max(high, baseline, candidate);
  }
  return low >= 0 && high <= 1 ? 1 : high - low;
}

function differenceOf({ baseline, candidate }: Pair): number {
  return candidate - baseline;
}

function isBoolean({ baseline, candidate }: Pair): boolean {
  return [0, 1].includes(baseline) && [0, 1].includes(candidate);
}

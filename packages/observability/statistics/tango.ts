import { incompleteBeta, normalQuantile } from "./distributions.ts";

/** Items that passed only with the candidate, only with the baseline, and how many items there are in all. */
export type Changes = { readonly gained: number; readonly lost: number; readonly of: number };

/**
 * Both limits of the difference (gained − lost) / of, each with an error of `tail`: T. Tango's score interval (Statistics in Medicine 17,
 * 1998). It holds where nothing changed, too: of 100 equal items it is ± 3.7 points.
 */
export function tangoLimits({ gained, lost, of }: Changes, tail: number): readonly [low: number, high: number] {
  const z = normalQuantile(1 - tail);
  return [-upperLimit(lost, gained, of, z), upperLimit(gained, lost, of, z)];
}

function upperLimit(b: number, c: number, n: number, z: number): number {
  let [low, high] = [(b - c) / n, 1];
  for (;;) {
    const middle = (low + high) / 2;
    if (middle <= low || middle >= high) {
      return high;
    }
    if (score(b, c, n, middle) > -z) {
      low = middle;
    } else {
      high = middle;
    }
  }
}

/** How many standard errors the observed difference is above `difference`, by the variance that it would have if that were true. */
function score(b: number, c: number, n: number, difference: number): number {
  const [linear, constant] = [(2 * n - b + c) * difference - b - c, -c * difference * (1 - difference)];
  const root = Math.sqrt(linear ** 2 - 8 * n * constant);
  // The part of lost items that is likeliest at this difference: of both ways to write the root of the equation the one that takes nothing of equals.
  const lost = linear > 0 ? (-2 * constant) / (linear + root) : (root - linear) / (4 * n);
  return (b - c - n * difference) / Math.sqrt(n * (2 * lost + difference * (1 - difference)));
}

/** McNemar's test by the exact binomial distribution of changed items: how probable so unequal a split is where nothing is better. */
export function exactMcNemar(gained: number, lost: number): number {
  return Math.min(2 * atMost(Math.min(gained, lost), gained + lost), 1);
}

/** The same with half of the observed split's probability (mid-p), which is less conservative: shown beside Tango's interval. */
export function midPMcNemar(gained: number, lost: number): number {
  const [fewer, changed] = [Math.min(gained, lost), gained + lost];
  return Math.min(atMost(fewer, changed) + atMost(fewer - 1, changed), 1);
}

/** The probability of `count` heads or fewer in `of` tosses. */
function atMost(count: number, of: number): number {
  return count < 0 ? 0 : count >= of ? 1 : incompleteBeta(0.5, of - count, count + 1);
}

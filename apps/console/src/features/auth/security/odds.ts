import type { SecondFactorStatus } from "@sightline/identity/contract";
import { formatExactCount } from "#ui/words/format.ts";

/** What guessing codes can reach, for people: `a 0.03% chance, or 1 in 3,334`. */
export function oddsInWords({ probability }: SecondFactorStatus["attack_odds"]): string {
  if (probability <= 0) {
    return "no chance";
  }
  return `at most a ${percentage(probability)} chance (1 in ${formatExactCount(Math.floor(1 / probability))})`;
}

/** Rounded up: a chance is never told smaller than it is. */
function percentage(probability: number): string {
  const percent = probability * 100;
  const digits = Math.max(0, -Math.floor(Math.log10(percent)));
  const unit = 10 ** digits;
  // What a machine makes of 0.03 is a little more than 0.03.
  return `${String(Math.ceil(Number((percent * unit).toPrecision(12))) / unit)}%`;
}

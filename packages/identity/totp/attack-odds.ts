import type { SecondFactorStatus } from "#contract.ts";

/** So many wrong codes are looked at within so many days, and no more. */
export type RollingBudget = { readonly tries: number; readonly days: number };

const DIGITS = 6;

/**
 * What someone who has the password reaches by guessing codes: the sum of the chances of all tries that are looked at, which
 * is the most it can be. `window` is the number of steps around the present one whose codes are right as well.
 */
export function attackOdds({ tries, days }: RollingBudget, window: number): SecondFactorStatus["attack_odds"] {
  const validCodes = 2 * window + 1;
  return { days, tries, valid_codes: validCodes, probability: Math.min((tries * validCodes) / 10 ** DIGITS, 1) };
}

import type { SecondFactorStatus } from "#contract.ts";
import { LONGEST_WINDOW_SECONDS, ROLLING_LIMITS } from "./try-limits.ts";

const CODES = 10 ** 6;
const DAY_SECONDS = 86_400;

/**
 * What someone who has the password reaches by guessing codes, under the limits in force: the sum of the chances of all
 * tries that are looked at, which is the most it can be. `window` is the number of steps before and after the present one
 * whose codes are right as well.
 */
export function attackOdds(window: number): SecondFactorStatus["attack_odds"] {
  const validCodes = 2 * window + 1;
  const tries = Math.min(...ROLLING_LIMITS.totp.map((limit) => limit.tries * Math.ceil(LONGEST_WINDOW_SECONDS / limit.seconds)));
  return { days: LONGEST_WINDOW_SECONDS / DAY_SECONDS, tries, valid_codes: validCodes, probability: (tries * validCodes) / CODES };
}

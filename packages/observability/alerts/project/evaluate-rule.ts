import { isOfScore, type AlertMetric } from "#contract.ts";
import type { Verdict } from "./alert-evaluation.store.ts";

type Rule = { readonly metric: AlertMetric; readonly threshold: number; readonly is_firing: boolean; readonly belows: number };

/** How many evaluations in a row must be good before the alert is resolved. */
const BELOWS = 2;

/**
 * Decides whether the rule fires: at once when the value is bad, and until it was good twice in a row. Without a value
 * it counts as good; of too few scores nothing is known, and it stays as it is.
 */
export function evaluateRule({ metric, threshold, is_firing: isFiring, belows }: Rule, value: number | null): Verdict {
  if (value === null && isOfScore(metric)) {
    return { isFiring, belows, value, problem: null };
  }
  const isBad = value !== null && isBeyond(metric, value, threshold);
  if (isBad) {
    return { isFiring: true, belows: 0, value, problem: null };
  }
  const passed = isFiring ? belows + 1 : 0;
  return { isFiring: isFiring && passed < BELOWS, belows: passed < BELOWS ? passed : 0, value, problem: null };
}

function isBeyond(metric: AlertMetric, value: number, threshold: number): boolean {
  return metric === "no_traces" ? value <= threshold : metric === "score_below" ? value < threshold : value > threshold;
}

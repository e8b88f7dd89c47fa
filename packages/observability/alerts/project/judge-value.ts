import type { AlertMetric } from "#contract.ts";
import type { Verdict } from "./alert-evaluation.store.ts";

type Rule = { readonly metric: AlertMetric; readonly threshold: number; readonly is_firing: boolean; readonly belows: number };

/** Evaluations that must find it well, one after the other, before it no longer fires. */
const BELOWS = 2;

/** It fires at once, and ceases to when it was well twice. Where there is nothing to take a value of, all is well. */
export function judgeValue({ metric, threshold, is_firing: isFiring, belows }: Rule, value: number | null): Verdict {
  const isBad = value !== null && (metric === "no_traces" ? value <= threshold : value > threshold);
  if (isBad) {
    return { isFiring: true, belows: 0, value, problem: null };
  }
  const passed = isFiring ? belows + 1 : 0;
  return { isFiring: isFiring && passed < BELOWS, belows: passed < BELOWS ? passed : 0, value, problem: null };
}

import { expect, test } from "vitest";
import type { AlertMetric } from "#contract.ts";
import { evaluateRule } from "./evaluate-rule.ts";

/** Whether it fires after each of the values. */
function fires(metric: AlertMetric, threshold: number, values: readonly (number | null)[]): readonly boolean[] {
  let rule = { metric, threshold, is_firing: false, belows: 0 };
  return values.map((value) => {
    const { isFiring, belows } = evaluateRule(rule, value);
    rule = { ...rule, is_firing: isFiring, belows };
    return isFiring;
  });
}

test("a rule fires at the first value above its threshold and not at it, and ceases at the second that is not above", () => {
  expect(fires("errors", 3, [3, 4, 3, 4, 0, 0, 4])).toEqual([false, true, true, true, true, false, true]);
});

test("where there is nothing to take a value of, it ceases to fire like anywhere else", () => {
  expect(fires("errors", 0, [null, 1, null, null])).toEqual([false, true, true, false]);
});

test("too few traces fire at the threshold and below it", () => {
  expect(fires("no_traces", 0, [1, 0, 1, 1])).toEqual([false, true, true, false]);
});

test("a score fires below or above its bound, and too few scores change nothing", () => {
  expect(fires("score_below", 0.7, [0.7, null, 0.69, null, null, null, 0.7, 0.7])).toEqual([
    false,
    false,
    true,
    true,
    true,
    true,
    true,
    false,
  ]);
  expect(fires("score_above", -1, [-1, -0.9])).toEqual([false, true]);
});

import { expect, test } from "vitest";
import { ruleInWords } from "./rule-words.ts";

test.each([
  [
    { metric: "error_rate", threshold: 0.05, window_minutes: 15, filter: { model: "m-1" } },
    "the error rate of model “m-1” is above 5% in the last 15 minutes",
  ],
  [
    { metric: "latency_p95", threshold: 30_000, window_minutes: 60, filter: {} },
    "the 95th percentile of durations is above 30 s in the last hour",
  ],
  [{ metric: "no_traces", threshold: 0, window_minutes: 180, filter: {} }, "no trace has started in the last 3 hours"],
  [
    { metric: "no_traces", threshold: 2, window_minutes: 60, filter: { trace: "shop" } },
    "the number of traces started of trace “shop” is at or below 2 in the last hour",
  ],
  [
    { metric: "cost", threshold: 12, window_minutes: 1440, filter: { trace: "shop" } },
    "the cost of trace “shop” is above $12.00 in the last 24 hours",
  ],
  [
    { metric: "matching", threshold: 0, window_minutes: 60, filter: { query: "tool:refund -node:ask" } },
    "the traces that match “tool:refund -node:ask” are above 0 in the last hour",
  ],
  [
    { metric: "score_worse", threshold: 0.1, window_minutes: 60, filter: { score: "helpful", baseline_minutes: 10_080 } },
    "the mean of “helpful” is worse by more than 0.1 in the last hour than in the 7 days before",
  ],
  [
    { metric: "score_below", threshold: -0.5, window_minutes: 60, filter: { score: "helpful", trace: "shop" } },
    "the mean of “helpful” of trace “shop” is below −0.5 in the last hour",
  ],
  [{ metric: "experiments", threshold: 0, window_minutes: 15, filter: {} }, "an experiment finishes"],
  [{ metric: "issues", threshold: 5, window_minutes: 15, filter: {} }, "an issue is new or reopened"],
] as const)("a rule reads as a sentence: %j", (rule, words) => {
  expect(ruleInWords(rule)).toBe(words);
});

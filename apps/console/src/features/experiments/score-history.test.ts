import { expect, test } from "vitest";
import { historyAsCsv, meanInWords, meanOf, scoreLabel, scoresOf } from "./score-history.ts";
import { comparison } from "./testing/comparison.ts";

const mean = { name: "exact", source: "application", mean: 0.82, low: 0.76, high: 0.87, items: 40 } as const;
const cost = { name: "cost", source: "run", mean: 0.002, low: null, high: null, items: 1 } as const;
const judged = { outcome: "worse", baseline: "main", judged_at: "2026-11-28T10:00:00.000Z" } as const;
const experiment = { ...comparison().candidate, name: "=try", means: [cost, mean], gate: judged };

test("scores come before what runs took, each with its interval where it has one", () => {
  const scores = scoresOf([experiment]);
  expect(scores.map(scoreLabel)).toEqual(["exact", "cost of an item"]);
  expect(scores.map((score) => meanInWords(meanOf(experiment, score) ?? mean))).toEqual(["0.82 (0.76 to 0.87)", "$0.0020"]);
});

test("a file has a line for each score of each experiment, and no cell that a spreadsheet would run", () => {
  const [heads, , exact] = historyAsCsv([experiment]).split("\r\n");
  expect(heads).toContain("gate,gate_baseline,source,score,mean,low,high,items");
  expect(exact).toMatch(/^'=try,.*,worse,main,application,exact,0\.82,0\.76,0\.87,40$/u);
});

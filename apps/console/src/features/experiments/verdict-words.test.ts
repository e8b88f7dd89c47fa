import type { ComparedScore } from "@sightline/observability/contract";
import { describe, expect, it } from "vitest";
import { comparedScore } from "./testing/comparison.ts";
import { barScale, formatDifference, formatScore, verdictInWords } from "./verdict-words.ts";

const differing = (difference: Partial<NonNullable<ComparedScore["difference"]>>) => comparedScore({ difference });

describe("a verdict in words", () => {
  it.each([
    [{ verdict: "better" }, "Better"],
    [{ verdict: "worse" }, "Worse"],
    [{ verdict: "same" }, "The same within ±0.10"],
    [{ verdict: "unclear", items_needed: 240 }, "Unclear: about 240 items would tell"],
    [{ verdict: "unclear", items_needed: null }, "Unclear"],
    [{ verdict: "too_few" }, "Too few differ to tell"],
  ] as const)("%j", (difference, words) => {
    expect(verdictInWords(differing(difference))).toBe(words);
  });

  it("says why there is none", () => {
    const score = { ...comparedScore({}), difference: null };
    expect(verdictInWords(score)).toBe("No item has it in both");
    expect(verdictInWords({ ...score, baseline: null })).toBe("Nothing to compare with");
  });
});

describe("a score", () => {
  it.each([
    [0.8333, "0.83"],
    [0.8, "0.80"],
    [1, "1"],
    [-0.001, "0.00"],
    [-3.456, "−3.46"],
    [1204.4, "1,204"],
  ])("%d is written %s", (value, text) => {
    expect(formatScore(value)).toBe(text);
  });

  it("has its sign as a difference", () => {
    expect([0.05, -0.05, 0].map((value) => formatDifference(comparedScore({}), value))).toEqual(["+0.05", "−0.05", "0"]);
  });

  it.each([
    ["cost", -0.0123, "−$0.0123"],
    ["duration", 1.5, "+1.50 s"],
    ["tokens", 1204, "+1,204"],
  ])("of what runs took, %s, is in its unit", (name, value, text) => {
    expect(formatDifference({ source: "run", name }, value)).toBe(text);
  });
});

it("shares the scale of bars with what is measured alike", () => {
  const scores = [differing({ low: -0.3, high: 0.1 }), differing({ low: 0, high: 0.05 }), differing({ low: -40, high: 10 })];
  expect(scores.map((score) => barScale(score, scores))).toEqual([0.3, 0.3, 40]);
});

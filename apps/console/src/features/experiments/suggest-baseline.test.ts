import { describe, expect, it } from "vitest";
import { suggestBaseline } from "./suggest-baseline.ts";
import { experiment } from "./testing/comparison.ts";

const at = (hour: number) => ({ created_at: `2026-11-28T0${hour}:00:00.000Z` });
const candidate = experiment(9, { ...at(5), branch: "fix" });

describe("the baseline that is suggested", () => {
  it.each([
    ["the main branch", [experiment(1, { ...at(4), branch: "other" }), experiment(2, { ...at(3), branch: "main" })], "main"],
    ["the branch before it", [experiment(1, { ...at(4), branch: "other" }), experiment(2, { ...at(3), branch: "fix" })], "fix"],
    ["the experiment before it", [experiment(1, { ...at(4), branch: null })], experiment(1).id],
    ["none that is later", [experiment(1, at(6))], undefined],
    ["none that still runs", [experiment(1, { ...at(4), state: "running" })], undefined],
    ["none of another dataset", [experiment(1, { ...at(4), dataset_id: experiment(7).id })], undefined],
  ])("is %s", (_, others, baseline) => {
    expect(suggestBaseline(candidate, [candidate, ...others])).toBe(baseline);
  });
});

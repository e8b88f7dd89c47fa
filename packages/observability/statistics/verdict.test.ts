import { expect, test } from "vitest";
import { judgeGate, judgeGates } from "./gate-verdict.ts";
import golden from "./golden-values.json" with { type: "json" };
import { wilson } from "./intervals.ts";
import { benjaminiHochberg, findings, holm } from "./many-scores.ts";
import { comparePairs, type Comparison } from "./paired.ts";
import { isSeenFlaky, passAtK, passHatK } from "./repetitions.ts";
import { judge, type PairedVerdict } from "./verdict.ts";

const OPTIONS = { direction: "higher", margin: 0.1 } as const;

test.each<[gained: number, lost: number, of: number, verdict: PairedVerdict, isWithinMargin: boolean]>([
  [30, 10, 200, "better", false],
  [10, 30, 200, "worse", false],
  [40, 12, 1000, "better", true],
  [12, 40, 1000, "worse", true],
  [20, 20, 500, "same", true],
  [10, 10, 60, "unclear", false],
  [5, 0, 10, "too_few", false],
  [2, 3, 400, "same", true],
])("%d gained and %d lost of %d: %s", (gained, lost, of, verdict, isWithinMargin) => {
  const comparison = booleans(gained, lost, of);
  expect(judge(comparison, OPTIONS)).toMatchObject({ verdict, isWithinMargin });
  const turned = { better: "worse", worse: "better", same: "same", unclear: "unclear", too_few: "too_few" } as const;
  expect(judge(comparison, { ...OPTIONS, direction: "lower" }).verdict).toBe(turned[verdict]);
});

test("what could be found follows from the variance, and from how many items there are", () => {
  // (1.96 + 0.84) standard errors, of a variance of 0.1.
  const found = judge(booleans(50, 50, 1000), OPTIONS);
  expect(found.detectable).toBeCloseTo((1.959964 + 0.841621) * Math.sqrt(0.1 / 999), 4);
  expect(found.itemsNeeded).toBe(79);
  // A tenth of the margin takes a hundred times the items.
  expect(judge(booleans(50, 50, 1000), { ...OPTIONS, margin: 0.01 }).itemsNeeded).toBe(7857);
  // As much varies around a difference, nothing else is asked.
  const moved = judge(booleans(200, 100, 1000), OPTIONS);
  expect(moved.itemsNeeded).toBe(Math.ceil((2.801585 ** 2 * (0.3 - 0.01) * (1000 / 999)) / 0.01));
  // One item can find nothing that a boolean can differ by.
  expect(judge(booleans(1, 0, 1), OPTIONS).detectable).toBeNull();
  expect(judge(booleans(50, 50, 1000), { ...OPTIONS, margin: 0 }).itemsNeeded).toBeNull();
});

test("the example of docs/statistics.md: intervals that overlap, and yet it is worse", () => {
  const comparison = booleans(4, 16, 200);
  const { low, high } = comparison.difference;
  expect([low, high].map((end) => end.toFixed(2))).toEqual(["-0.11", "-0.02"]);
  const judgement = judge(comparison, OPTIONS);
  expect(judgement).toMatchObject({ verdict: "worse", itemsNeeded: 77 });
  expect(judgement.detectable?.toFixed(2)).toBe("0.06");
  expect(wilson(164, 200).high).toBeGreaterThan(wilson(176, 200).low);
});

test.each([
  [0, 0, 100, "passed"],
  [0, 10, 100, "worse"],
  [0, 9, 100, "inconclusive"],
  [3, 9, 100, "inconclusive"],
  [8, 9, 300, "passed"],
  [0, 0, 10, "inconclusive"],
] as const)("the gate of %d gained and %d lost of %d: %s", (gained, lost, of, verdict) => {
  expect(judgeGate(booleans(gained, lost, of), OPTIONS)).toBe(verdict);
  expect(judgeGate(booleans(lost, gained, of), { ...OPTIONS, direction: "lower" })).toBe(verdict);
});

test("one of ten scores is not worse by what would do alone, and all have to pass", () => {
  const [equal, broken, slightly] = [booleans(2, 2, 100), booleans(0, 20, 100), booleans(9, 21, 100)].map((comparison) => ({
    ...OPTIONS,
    comparison,
  }));
  if (equal === undefined || broken === undefined || slightly === undefined) {
    throw new Error("unreachable");
  }
  const others = Array.from({ length: 9 }, () => equal);
  expect(judgeGates([slightly])).toEqual({ verdict: "worse", each: ["worse"] });
  expect(judgeGates([slightly, ...others])).toEqual({ verdict: "inconclusive", each: ["inconclusive", ...others.map(() => "passed")] });
  expect(judgeGates([...others, broken]).verdict).toBe("worse");
  expect(judgeGates(others).verdict).toBe("passed");
});

test.each(golden.holm)("Holm's adjusted p-values", (...[pValues, adjusted]) => {
  expectClose(holm(pValues ?? []), adjusted ?? []);
});

test.each(golden.benjaminiHochberg)("Benjamini and Hochberg's adjusted p-values", (...[pValues, adjusted]) => {
  expectClose(benjaminiHochberg(pValues ?? []), adjusted ?? []);
  expect(findings(pValues ?? [])).toEqual(adjusted?.map((value) => value <= 0.1));
});

test("of repetitions: one of k passes, all of k pass", () => {
  expect(passAtK({ passed: 1, of: 3 }, 1)).toBeCloseTo(1 / 3, 12);
  expect(passAtK({ passed: 1, of: 3 }, 2)).toBeCloseTo(2 / 3, 12);
  expect(passHatK({ passed: 2, of: 3 }, 2)).toBeCloseTo(1 / 3, 12);
  expect([passAtK({ passed: 0, of: 5 }, 5), passHatK({ passed: 4, of: 5 }, 5)]).toEqual([0, 0]);
  expect([passAtK({ passed: 3, of: 3 }, 4), passHatK({ passed: 3, of: 3 }, 0)]).toEqual([null, null]);
  expect(passHatK({ passed: 900, of: 1000 }, 500)).toBeGreaterThan(0);
  expect([0, 1, 3].map((passed) => isSeenFlaky({ passed, of: 3 }))).toEqual([false, true, false]);
});

function booleans(gained: number, lost: number, of: number): Comparison {
  const pairs = Array.from({ length: of }, (_, at) => ({
    baseline: at < gained ? 0 : 1,
    candidate: at >= gained && at < gained + lost ? 0 : 1,
  }));
  const comparison = comparePairs(pairs, { isSingleBoolean: true });
  if (comparison === null) {
    throw new Error("unreachable");
  }
  return comparison;
}

function expectClose(found: readonly number[], wanted: readonly number[]): void {
  expect(found).toHaveLength(wanted.length);
  for (const [at, value] of found.entries()) {
    expect(value).toBeCloseTo(wanted[at] ?? Number.NaN, 9);
  }
}

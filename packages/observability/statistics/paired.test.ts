import { randomOf } from "@sightline/foundation/seeded-random";
import { SEED } from "@sightline/foundation/testing/random";
import { expect, test } from "vitest";
import golden from "./golden-values.json" with { type: "json" };
import { comparePairs, type Comparison, type Pair } from "./paired.ts";
import { exactMcNemar, midPMcNemar, tangoLimits } from "./tango.ts";

test.each(golden.tango)("Tango's limits of %d gained and %d lost of %d, %d outside", (...row) => {
  const [gained = 0, lost = 0, of = 0, tail = 0, goldenLow = 0, goldenHigh = 0] = row;
  const [low, high] = tangoLimits({ gained, lost, of }, tail);
  expect(low).toBeCloseTo(goldenLow, 9);
  expect(high).toBeCloseTo(goldenHigh, 9);
});

test.each(golden.midP)("McNemar's mid-p of %d gained and %d lost", (gained = 0, lost = 0, value = 0) => {
  expect(midPMcNemar(gained, lost)).toBeCloseTo(value, 9);
});

test.each(golden.exactP)("McNemar's exact p of %d gained and %d lost", (gained = 0, lost = 0, value = 0) => {
  expect(exactMcNemar(gained, lost)).toBeCloseTo(value, 9);
});

test.each(golden.student30)("Student's interval of differences", ({ differences, ends, p }) => {
  const found = compare(pairsOf(differences));
  expect(found.procedure).toBe("student");
  expectClose([found.difference.low, found.difference.high, found.pValue], [...ends, p]);
});

test.each(golden.clustered)("clustered errors", ({ differences, groups, error, ends, p }) => {
  const found = compare(pairsOf(differences, (at) => `${groups[at]}`));
  expect(found.clusters).toBe(new Set(groups).size);
  expect(found.error).toBeCloseTo(error, 9);
  // Few clusters are flipped instead, by the same error's side.
  if (found.procedure === "student") {
    expectClose([found.difference.low, found.difference.high, found.pValue], [...ends, p]);
  }
});

test.each(golden.signFlip)("flipped signs: what scipy's permutation test does not reject", ({ differences, p, ends }) => {
  const found = compare(pairsOf(differences));
  expect(found.procedure).toBe("sign_flip");
  // Half a point: SciPy looks at all choices of signs, ours at some of them from 13 items on.
  expect(Math.abs(found.pValue - p)).toBeLessThan(0.005);
  expect(Math.abs(found.difference.low - (ends[0] ?? 0))).toBeLessThan(0.005);
  expect(Math.abs(found.difference.high - (ends[1] ?? 0))).toBeLessThan(0.005);
});

test("the procedure follows from the number of units, of which few had to change", () => {
  const changing = (items: number, perCluster = 1) =>
    pairsOf(
      Array.from({ length: items }, (_, at) => (at % 5) / 4 - 0.4),
      perCluster === 1 ? undefined : (at) => `${Math.floor(at / perCluster)}`,
    );
  expect(compare(changing(30)).procedure).toBe("student");
  expect(compare(changing(29)).procedure).toBe("sign_flip");
  expect(compare(changing(150, 5)).procedure).toBe("student");
  expect(compare(changing(100, 4)).procedure).toBe("sign_flip");
  expect(compare(changing(5)).procedure).toBe("changed_only");
  const booleans = Array.from({ length: 40 }, (_, at): Pair => ({ baseline: at % 2, candidate: at % 3 === 0 ? 1 : 0 }));
  expect(compare(booleans, true)).toMatchObject({ procedure: "tango", items: 40, discordant: 20 });
  expect(
    compare(
      booleans.map((pair, at) => ({ ...pair, cluster: `${at >> 1}` })),
      true,
    ),
  ).toMatchObject({ procedure: "sign_flip", midP: null });
  expect(comparePairs([], { isSingleBoolean: true })).toBeNull();
});

test("pairs that are all equal have an interval around 0, which is narrower the more there are", () => {
  for (const isSingleBoolean of [true, false]) {
    const [few, many] = [10, 400].map((items) => compare(pairsOf(Array.from({ length: items }, () => 0)), isSingleBoolean));
    expect(few?.difference.high).toBeCloseTo(0.27753, 4);
    expect(many?.difference).toMatchObject({ value: 0 });
    expect(many?.difference.high).toBeCloseTo(1.96 ** 2 / (400 + 1.96 ** 2), 4);
    expect(many?.pValue).toBe(1);
  }
});

test("thirds that cancel each other are no difference", () => {
  const found = compare(pairsOf([1 / 3, 1 / 3, -2 / 3, 0.1, 0.2, -0.3, 0.7, -0.7]));
  expect(found).toMatchObject({ discordant: 8, pValue: 1 });
  expect(compare([{ baseline: 0.3, candidate: 0.1 + 0.2 }])).toMatchObject({ discordant: 0, discordantClusters: 0 });
});

test(`swapping the experiments swaps signs, and every interval holds what was observed (TEST_SEED=${SEED})`, () => {
  const random = randomOf(SEED);
  for (let round = 0; round < 300; round += 1) {
    const [items, values, perCluster] = [1 + Math.floor(random() * 60), 1 + Math.floor(random() * 5), 1 + Math.floor(random() * 3)];
    const draw = () => Math.round(random() * values) / values;
    const pairs = Array.from({ length: items }, (_, at): Pair => ({
      baseline: draw(),
      candidate: random() < 0.3 ? draw() : 0.5,
      ...(perCluster > 1 && { cluster: `${Math.floor(at / perCluster)}` }),
    })).map((pair) => (values === 1 ? { ...pair, candidate: Math.round(pair.candidate) } : pair));
    const found = compare(pairs, values === 1);
    const swapped = compare(
      pairs.map((pair) => ({ ...pair, baseline: pair.candidate, candidate: pair.baseline })),
      values === 1,
    );
    const { value, low, high } = found.difference;
    expect(low).toBeLessThanOrEqual(value + 1e-12);
    expect(high).toBeGreaterThanOrEqual(value - 1e-12);
    expect(low).toBeLessThanOrEqual(found.limits.low);
    expect(high).toBeGreaterThanOrEqual(found.limits.high);
    const isOneAnswer = found.procedure === "changed_only" || (low > 0 || high < 0) === found.pValue <= 0.05;
    expect(isOneAnswer, "interval and p-value say the same").toBe(true);
    expectClose([swapped.difference.value, swapped.difference.low, swapped.difference.high], [-value, -high, -low]);
    expect(swapped).toMatchObject({ procedure: found.procedure, discordant: found.discordant });
    expect(swapped.pValue).toBeCloseTo(found.pValue, 9);
  }
});

function pairsOf(differences: readonly number[], clusterOf?: (at: number) => string): Pair[] {
  return differences.map((difference, at) => ({ baseline: 0, candidate: difference, cluster: clusterOf?.(at) }));
}

function compare(pairs: readonly Pair[], isSingleBoolean = false): Comparison {
  const found = comparePairs(pairs, { isSingleBoolean });
  expect(found).not.toBeNull();
  if (found === null) {
    throw new Error("unreachable");
  }
  return found;
}

function expectClose(found: readonly number[], wanted: readonly number[]): void {
  expect(found).toHaveLength(wanted.length);
  for (const [at, value] of found.entries()) {
    expect(value).toBeCloseTo(wanted[at] ?? Number.NaN, 9);
  }
}

import { expect, test } from "vitest";
import { cohenKappa, intraclassCorrelation, krippendorffAlpha } from "./agreement.ts";
import golden from "./golden-agreement.json" with { type: "json" };

const SEED = 1;
const pairsOf = (pairs: readonly (readonly number[])[]) => pairs.map(([one = 0, other = 0]) => [one, other] as const);

test.each(golden.kappa.map((row, at) => ({ ...row, at })))(
  "Cohen's kappa of pairs $at, as scikit-learn has it",
  ({ pairs, ...weighted }) => {
    for (const weighting of ["nominal", "linear", "quadratic"] as const) {
      expect(cohenKappa(pairsOf(pairs), weighting, SEED)?.value).toBeCloseTo(weighted[weighting], 9);
    }
  },
);

test.each(golden.alpha.map((row, at) => ({ ...row, at })))("Krippendorff's alpha of items $at", ({ items, ...scaled }) => {
  for (const scale of ["nominal", "ordinal", "interval"] as const) {
    expect(krippendorffAlpha(items, scale, SEED)?.value).toBeCloseTo(scaled[scale], 9);
  }
});

test.each(golden.icc.map(([items, value], at) => ({ items, value, at })))(
  "ICC(2,1) of items $at, as pingouin has it",
  ({ items, value }) => {
    expect(intraclassCorrelation(items as number[][], SEED)?.value).toBeCloseTo(value as number, 9);
  },
);

test("an interval is the same for the same seed, holds its figure, and is narrower of more items", () => {
  const items = Array.from({ length: 200 }, (_, at) => [at % 2, at % 5 === 0 ? 1 - (at % 2) : at % 2] as const);
  const [few, many] = [cohenKappa(items.slice(0, 40), "nominal", 7), cohenKappa(items, "nominal", 7)];
  expect(cohenKappa(items, "nominal", 7)).toEqual(many);
  for (const found of [few, many]) {
    expect(found?.low).toBeLessThan(found?.value ?? -1);
    expect(found?.high).toBeGreaterThan(found?.value ?? 1);
  }
  expect((many?.high ?? 1) - (many?.low ?? 0)).toBeLessThan((few?.high ?? 0) - (few?.low ?? 0));
});

test("where everybody always says the same, or nobody says anything, nothing is told", () => {
  expect(cohenKappa([], "nominal", SEED)).toBeUndefined();
  expect(cohenKappa([[1, 1] as const, [1, 1] as const], "quadratic", SEED)).toBeUndefined();
  expect(krippendorffAlpha([[1, null], [2]], "nominal", SEED)).toBeUndefined();
  expect(krippendorffAlpha([[3, 3]], "ordinal", SEED)).toBeUndefined();
  expect(intraclassCorrelation([], SEED)).toBeUndefined();
  expect(intraclassCorrelation([[2, 2] as const, [2, 2] as const], SEED)).toBeUndefined();
});

import { expect, test } from "vitest";
import { randomOf, SEED } from "@sightline/foundation/testing/random";
import { wilson } from "./intervals.ts";
import { correctedRate, judgeRates, type Confusion } from "./judge-rates.ts";

test("rates of a judge have Wilson's limits", () => {
  const rates = judgeRates({ truePositive: 45, falseNegative: 5, falsePositive: 4, trueNegative: 36 });
  const [sensitivity, specificity] = [wilson(45, 50), wilson(36, 40)];
  // As many labels tell it as exactly, but for halves of one.
  expect(rates?.truePositive.value).toBeCloseTo(0.9, 12);
  expect(rates?.truePositive.low).toBeCloseTo(sensitivity.low, 2);
  expect(rates?.trueNegative.high).toBeCloseTo(specificity.high, 2);
  expect(judgeRates({ truePositive: 45, falseNegative: 5, falsePositive: 0, trueNegative: 0 })).toBeUndefined();
});

test("people who look at failures first do not make a judge seem worse: what they labelled stands for what was judged", () => {
  // Of 1,000 the judge called 800 true, of which 5 % are wrong, and 200 false, of which a quarter is.
  const labels = { truePositive: 38, falsePositive: 2, falseNegative: 50, trueNegative: 150 };
  expect(judgeRates(labels)?.truePositive.value).toBeCloseTo(38 / 88, 9);
  const rates = judgeRates(labels, { positive: 800, negative: 200 });
  expect(rates?.truePositive.value).toBeCloseTo(760 / 810, 9);
  expect(rates?.trueNegative.value).toBeCloseTo(150 / 190, 9);
});

test("a corrected rate is Rogan and Gladen's, between 0 and 1, and none of a judge that is no better than chance", () => {
  const rates = { truePositive: wilson(90, 100), trueNegative: wilson(80, 100) };
  expect(correctedRate(wilson(550, 1000), rates)?.value).toBeCloseTo((0.55 + 0.8 - 1) / 0.7, 9);
  expect(correctedRate(wilson(0, 1000), rates)).toMatchObject({ value: 0, low: 0 });
  expect(correctedRate(wilson(1000, 1000), rates)).toMatchObject({ value: 1, high: 1 });
  expect(correctedRate(wilson(5, 10), { truePositive: wilson(5, 10), trueNegative: wilson(5, 10) })).toBeUndefined();
  // What is known as exactly as can be of the raw rate still has the errors of the judge.
  const exact = correctedRate({ value: 0.55, low: 0.55, high: 0.55 }, rates);
  expect((exact?.high ?? 0) - (exact?.low ?? 1)).toBeGreaterThan(0.1);
});

type Cell = {
  readonly truth: number;
  readonly sensitivity: number;
  readonly specificity: number;
  readonly odds: readonly [number, number];
};

/** `CALIBRATIONS=5000` measures it more exactly. */
const ROUNDS = Number(process.env["CALIBRATIONS"] ?? 1_000);
const JUDGED = 1_000;
const cells: readonly Cell[] = [0.1, 0.5, 0.9].flatMap((truth) =>
  [0.8, 0.95].flatMap((sensitivity) =>
    [0.8, 0.95].flatMap((specificity) =>
      // How often a label is given to what the judge calls true, and false.
      [[0.15, 0.15] as const, [0.08, 0.5] as const].map((odds) => ({ truth, sensitivity, specificity, odds })),
    ),
  ),
);

test.each(cells)(
  `of $truth true, a judge of $sensitivity and $specificity, labelled at $odds: intervals hold the truth (TEST_SEED=${SEED})`,
  (cell) => {
    const random = randomOf(SEED);
    const missed = { truePositive: 0, trueNegative: 0, corrected: 0 };
    let of = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const { labels, judged } = draw(cell, random);
      const rates = judgeRates(labels, judged);
      if (rates !== undefined) {
        of += 1;
        const corrected = correctedRate(wilson(judged.positive, JUDGED), rates);
        const misses = (found: { low: number; high: number } | undefined, truth: number) =>
          found !== undefined && (truth < found.low || truth > found.high) ? 1 : 0;
        missed.truePositive += misses(rates.truePositive, cell.sensitivity);
        missed.trueNegative += misses(rates.trueNegative, cell.specificity);
        missed.corrected += misses(corrected, cell.truth);
      }
    }
    // Of a few dozen labels of unequal weight 93 to 96 of 100 intervals hold the rate, and 97 and more the corrected one.
    for (const count of Object.values(missed)) {
      expect(wilson(count, of).low).toBeLessThan(0.07);
    }
  },
);

function draw({ truth, sensitivity, specificity, odds }: Cell, random: () => number) {
  const labels: { -readonly [Each in keyof Confusion]: number } = { truePositive: 0, falseNegative: 0, falsePositive: 0, trueNegative: 0 };
  const judged = { positive: 0, negative: 0 };
  for (let item = 0; item < JUDGED; item += 1) {
    const isTrue = random() < truth;
    const isCalled = random() < (isTrue ? sensitivity : 1 - specificity);
    judged[isCalled ? "positive" : "negative"] += 1;
    if (random() < odds[isCalled ? 0 : 1]) {
      labels[isTrue ? (isCalled ? "truePositive" : "falseNegative") : isCalled ? "falsePositive" : "trueNegative"] += 1;
    }
  }
  return { labels, judged };
}

import { expect, test } from "vitest";
import { normalQuantile, studentQuantile } from "./distributions.ts";
import golden from "./golden-values.json" with { type: "json" };
import { independentDifference, meanInterval, sample, welch, wilson, type Interval } from "./intervals.ts";

function expectBetween({ low, high }: Interval, [goldenLow = Number.NaN, goldenHigh = Number.NaN]: readonly number[]): void {
  expect(low).toBeCloseTo(goldenLow, 9);
  expect(high).toBeCloseTo(goldenHigh, 9);
}

test.each(golden.student)("Student's t: the quantile %d at %d degrees of freedom", (part = 0, freedom = 0, value = 0) => {
  expect(studentQuantile(part, freedom) / value).toBeCloseTo(1, 9);
});

test.each(golden.normal)("the normal distribution's quantile %d", (part = 0, value = 0) => {
  expect(normalQuantile(part)).toBeCloseTo(value, 9);
});

test.each(golden.wilson)("Wilson's interval of %d of %d", (count = 0, of = 0, ...ends) => {
  expectBetween(wilson(count, of), ends);
});

test.each(golden.newcombe)("Newcombe's interval of %d of %d and %d of %d", (countA = 0, ofA = 0, countB = 0, ofB = 0, ...ends) => {
  expectBetween(independentDifference(wilson(countA, ofA), wilson(countB, ofB)), ends);
});

test.each(golden.mean.map(([numbers, ...ends]) => ({ numbers, ends })))("Student's interval of a mean", ({ numbers, ends }) => {
  expectBetween(meanInterval(sample(numbers as number[])), ends as number[]);
});

test.each(golden.welch.map(([a, b, ...ends]) => ({ a, b, ends })))("Welch's interval", ({ a, b, ends }) => {
  expectBetween(welch(sample(a as number[]), sample(b as number[])), ends as number[]);
});

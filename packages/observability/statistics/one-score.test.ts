import { expect, test } from "vitest";
import { meanInterval, sample, wilson } from "./intervals.ts";
import { measureInterval, scoreInterval } from "./one-score.ts";

test("a score's interval is Wilson's, wider where items share clusters, and open where all pass", () => {
  const booleans = Array.from({ length: 100 }, (_, at) => ({ value: at % 5 < 4 ? 1 : 0 }));
  expect(scoreInterval(booleans, true)).toEqual(wilson(80, 100));
  const inClusters = scoreInterval(
    booleans.map((item, at) => ({ ...item, cluster: `${at % 20}` })),
    true,
  );
  // Each cluster is all one value: twenty facts.
  expect(inClusters?.low).toBeLessThan(wilson(16, 20).low);
  expect(inClusters?.high).toBeGreaterThan(wilson(16, 20).high - 0.01);
  const allPass = scoreInterval(
    Array.from({ length: 40 }, () => ({ value: 1 })),
    false,
  );
  expect(allPass?.high).toBe(1);
  expect(allPass?.low).toBeCloseTo(0.907, 3);
});

test("numbers beyond 0 to 1 have Student's interval; one of them says nothing of others", () => {
  const numbers = [9.2, 11.5, 10.1, 8.7, 12.3];
  const { low, high } = meanInterval(sample(numbers));
  const found = scoreInterval(
    numbers.map((value) => ({ value })),
    false,
  );
  expect(found?.low).toBeCloseTo(low, 9);
  expect(found?.high).toBeCloseTo(high, 9);
  expect(scoreInterval([{ value: 7 }], false)).toBeNull();
  // A tenth of a cent each is no share of 40 dollars.
  expect(measureInterval(Array.from({ length: 40 }, () => ({ value: 0.001 })))).toEqual({ value: 0.001, low: 0.001, high: 0.001 });
  expect(scoreInterval([], true)).toBeNull();
});

import * as fc from "fast-check";
import { expect, test } from "vitest";
import { encodePostings, readPostings, type Posting } from "#testing/packed-postings.ts";
import { computeImpact } from "./postings.ts";

test("what is packed is read back, impacts to a ten-thousandth", () => {
  const ordinals = fc.oneof(fc.uniqueArray(fc.nat(2 ** 22 - 1), { maxLength: 200 }), fc.uniqueArray(fc.nat(2 ** 16 - 1)));
  fc.assert(
    fc.property(ordinals, fc.double({ min: 0.001, max: 2.199, noNaN: true }), (numbers, impact) => {
      const given = numbers.toSorted((a, b) => a - b).map((ordinal): Posting => ({ ordinal, impact }));
      for (const capacity of [2 ** 22, ...(numbers.every((number) => number < 2 ** 16) ? [2 ** 16] : [])]) {
        const read = readPostings(encodePostings(given), given.length, capacity);
        expect(read.map(({ ordinal }) => ordinal)).toEqual(given.map(({ ordinal }) => ordinal));
        for (const posting of read) {
          expect(Math.abs(posting.impact - impact)).toBeLessThan(0.0001);
        }
      }
    }),
  );
});

test("the impact rises with the frequency, falls with the length, and stays under k1 + 1", () => {
  const usual = computeImpact({ frequency: 2, length: 100 });
  expect(computeImpact({ frequency: 3, length: 100 })).toBeGreaterThan(usual);
  expect(computeImpact({ frequency: 2, length: 200 })).toBeLessThan(usual);
  expect(computeImpact({ frequency: 1e9, length: 1 })).toBeLessThanOrEqual(2.2);
});

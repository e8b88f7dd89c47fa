import { expect, test } from "vitest";
import { toBars, rangeOfBars } from "./histogram-bars.ts";

const data = {
  total: 3,
  is_cut: false,
  bar_ms: 60_000,
  bars: [
    { at: "2026-11-01T12:00:00.000Z", traces: 2, failures: 1 },
    { at: "2026-11-01T12:03:00.000Z", traces: 1, failures: 0 },
  ],
};

test("bars in which nothing began are there too", () => {
  expect(toBars(data).map(({ traces }) => traces)).toEqual([2, 0, 0, 1]);
  expect(toBars({ ...data, bars: [] })).toEqual([]);
});

test("a choice reaches from the beginning of its first bar to the end of its last", () => {
  expect(rangeOfBars(data, 0, 1)).toEqual({ from: "2026-11-01T12:00:00.000Z", to: "2026-11-01T12:02:00.000Z" });
  expect(rangeOfBars(data, 0, 9)).toBeUndefined();
});

import { expect, test } from "vitest";
import { everyDay } from "./every-day.ts";

const day = { traces: 2, failures: 1, input_tokens: null, output_tokens: null, cost: 0.5 };

test("thirty days end with the last one, and those between are there with nothing", () => {
  const days = everyDay([
    { ...day, day: "2026-02-27" },
    { ...day, day: "2026-03-01" },
  ]);
  expect(days).toHaveLength(30);
  expect(days.slice(-4)).toMatchObject([
    { day: "2026-02-26", traces: 0 },
    { day: "2026-02-27", traces: 2 },
    { day: "2026-02-28", traces: 0, cost: null },
    { day: "2026-03-01", traces: 2 },
  ]);
  expect(everyDay([])).toEqual([]);
});

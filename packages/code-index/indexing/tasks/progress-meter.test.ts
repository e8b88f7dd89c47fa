import { expect, test } from "vitest";
import { createProgressMeter } from "./progress-meter.ts";

test("a report is taken once, with the rate since the last, and what got no further is no progress", () => {
  let now = 0;
  const meter = createProgressMeter({ now: () => new Date(now) });
  expect(meter.take()).toBeUndefined();
  meter.report({ phase: "files", done: 10, total: 100 });
  expect(meter.take()).toEqual({ phase: "files", done: 10, total: 100 });
  now = 2_000;
  meter.report({ phase: "files", done: 30, total: 100 });
  expect(meter.take()).toEqual({ phase: "files", done: 30, total: 100, rate: 10 });
  now = 3_000;
  meter.report({ phase: "files", done: 30, total: 100 });
  expect(meter.take()).toBeUndefined();
  now = 4_000;
  meter.report({ phase: "files", done: 70, total: 100 });
  expect(meter.take()).toEqual({ phase: "files", done: 70, total: 100, rate: 13 });
});

test("another phase begins without a rate", () => {
  let now = 0;
  const meter = createProgressMeter({ now: () => new Date(now) });
  meter.report({ phase: "files", done: 100, total: 100 });
  meter.take();
  now = 1_000;
  meter.report({ phase: "postings", done: 0, total: 3 });
  expect(meter.take()).toEqual({ phase: "postings", done: 0, total: 3 });
});

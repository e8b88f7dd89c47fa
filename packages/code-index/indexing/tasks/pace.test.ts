import { expect, test } from "vitest";
import { createPace } from "./pace.ts";

test("a report is taken once, with the rate since the last, and what got no further is no progress", () => {
  let now = 0;
  const pace = createPace({ now: () => new Date(now) });
  expect(pace.take()).toBeUndefined();
  pace.report({ phase: "files", done: 10, total: 100 });
  expect(pace.take()).toEqual({ phase: "files", done: 10, total: 100 });
  now = 2_000;
  pace.report({ phase: "files", done: 30, total: 100 });
  expect(pace.take()).toEqual({ phase: "files", done: 30, total: 100, rate: 10 });
  now = 3_000;
  pace.report({ phase: "files", done: 30, total: 100 });
  expect(pace.take()).toBeUndefined();
  now = 4_000;
  pace.report({ phase: "files", done: 70, total: 100 });
  expect(pace.take()).toEqual({ phase: "files", done: 70, total: 100, rate: 13 });
});

test("another phase begins without a rate", () => {
  let now = 0;
  const pace = createPace({ now: () => new Date(now) });
  pace.report({ phase: "files", done: 100, total: 100 });
  pace.take();
  now = 1_000;
  pace.report({ phase: "postings", done: 0, total: 3 });
  expect(pace.take()).toEqual({ phase: "postings", done: 0, total: 3 });
});

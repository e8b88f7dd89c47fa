import { expect, test } from "vitest";
import { stepTimes } from "./step-times.ts";

const started = new Date(5).toISOString();

test.each([
  ["its duration rather than the clock", { ended_at: new Date(9).toISOString(), duration_ms: 1.5 }, 6.5],
  ["the clock where no duration is known", { ended_at: new Date(9).toISOString(), duration_ms: null }, 9],
  ["its start where the clock went backwards", { ended_at: new Date(1).toISOString(), duration_ms: null }, 5],
  ["nothing while it runs", { ended_at: null, duration_ms: null }, undefined],
])("a step's end follows from %s", (_, known, end) => {
  expect(stepTimes({ started_at: started, ...known })).toEqual({ start: 5, end });
});

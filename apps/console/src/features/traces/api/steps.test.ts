import { describe, expect, it } from "vitest";
import { step } from "#features/traces/testing/step.ts";
import { mergeSteps } from "./steps.ts";

const ids = (steps: ReturnType<typeof mergeSteps>) => steps.map(({ id }) => id);

describe("steps that changed", () => {
  const known = [step("a", { start: 0, duration: null }), step("b", { start: 20 })];

  it("take the places of what they were", () => {
    const merged = mergeSteps(known, [step("a", { start: 0, duration: 30 })]);
    expect(ids(merged)).toEqual(["a", "b"]);
    expect(merged[0]).toMatchObject({ status: "success", duration_ms: 30 });
  });

  it("come last when they are new, and where they belong when they come late", () => {
    expect(ids(mergeSteps(known, [step("c", { start: 40 }), step("d", { start: 50 })]))).toEqual(["a", "b", "c", "d"]);
    expect(ids(mergeSteps(known, [step("c", { start: 10 })]))).toEqual(["a", "c", "b"]);
  });

  it("leave the list as it is when there are none", () => {
    expect(mergeSteps(known, [])).toBe(known);
  });
});

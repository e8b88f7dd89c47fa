import { describe, expect, it } from "vitest";
import { step } from "#features/traces/testing/step.ts";
import { nearestCode } from "./nearest-code.ts";

const code = { file: "src/act.ts", line: 3 };

describe("the code of a step", () => {
  it("is its own, or that of the nearest step around it", () => {
    const own = step("tool", { parent: "llm", code });
    const steps = [step("node", { code }), step("llm", { parent: "node" }), step("tool", { parent: "llm" })];
    expect(nearestCode([own], own)?.id).toBe("tool");
    expect(nearestCode(steps, step("tool", { parent: "llm" }))?.id).toBe("node");
  });

  it("is unknown where none around it has one, its parent is missing, or parents lead in a circle", () => {
    const ring = [step("a", { parent: "b" }), step("b", { parent: "a" })];
    expect([step("a"), step("a", { parent: "lost" }), step("a", { parent: "b" })].map((each) => nearestCode(ring, each))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});

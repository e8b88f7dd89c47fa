import { growTree } from "@sightline/observability/contract";
import { expect, test } from "vitest";
import { step } from "#features/traces/testing/step.ts";
import { mergedRoot } from "./merged-root.ts";

const trace = { name: "agent" };

test("a trace and its only root of the same name are one", () => {
  expect(mergedRoot(trace, growTree([step("agent"), step("tool", { parent: "agent" })]))?.id).toBe("agent");
});

test.each([
  ["another name", [step("root"), step("tool", { parent: "root" })]],
  ["a second root", [step("agent"), step("tool")]],
  ["a model call of that name", [step("agent", { kind: "llm" })]],
  ["a parent that never arrived", [step("agent", { parent: "gone" })]],
  ["no step", []],
])("but not with %s", (_name, steps) => {
  expect(mergedRoot(trace, growTree(steps))).toBeUndefined();
});

import { expect, test } from "vitest";
import { step } from "#features/traces/testing/step.ts";
import { causeOf, causesIn } from "./causes.ts";
import { stepTree } from "./step-tree.ts";

const failed = { status: "failure" } as const;

const tree = stepTree([
  step("agent", failed),
  step("node", { parent: "agent", ...failed }),
  step("good", { parent: "node" }),
  step("tool", { parent: "node", ...failed }),
  step("after", { parent: "tool" }),
  step("retried", { parent: "agent", ...failed }),
  step("fine"),
]);

test("a failure that climbs is one, where it arose", () => {
  expect(new Set([...causesIn(tree)].map((at) => tree.nodes[at]?.step.id))).toEqual(new Set(["retried", "tool"]));
});

test("a step that passed a failure on names the last that arose below it", () => {
  expect(causeOf(tree, "node")?.id).toBe("tool");
  expect(causeOf(tree, "agent")?.id).toBe("retried");
  expect(causeOf(tree, "the trace")?.id).toBe("retried");
  expect(causeOf(tree, "tool")).toBeUndefined();
  expect(causeOf(tree, "fine")).toBeUndefined();
});

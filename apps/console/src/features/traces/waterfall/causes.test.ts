import { findFailures, growTree } from "@sightline/observability/contract";
import { expect, test } from "vitest";
import { step } from "#features/traces/testing/step.ts";
import { causePlaces } from "./causes.ts";

const LIMIT = "GraphRecursionError: Recursion limit of 25 reached";
const ORDER = "ValueError: order 42 was not found";

const steps = [
  step("agent", { status: "failure", error: LIMIT, duration: 100 }),
  step("node", { parent: "agent", duration: 50 }),
  step("good", { parent: "node" }),
  step("tool", { parent: "node", status: "failure", error: ORDER }),
  step("after", { parent: "tool" }),
];

test("a failure that was caught is not the cause of a later one, and both have a place", () => {
  const tree = growTree(steps);
  const failures = findFailures(tree, { status: "failure", error: LIMIT });
  expect(failures.reason?.id).toBe("agent");
  expect(failures.caughtBy.get("tool")?.id).toBe("node");
  expect(causePlaces(tree, failures)).toEqual(new Set([0, 3]));
});

test("a step that passed a failure on names the step in which it arose", () => {
  const tree = growTree(
    steps.map((each) => (each.status === "failure" || each.id === "node" ? { ...each, status: "failure" as const, error: ORDER } : each)),
  );
  const failures = findFailures(tree, { status: "failure", error: ORDER });
  expect(["agent", "node", "tool", "good"].map((id) => failures.causeOf.get(id)?.id)).toEqual(["tool", "tool", "tool", undefined]);
  expect(failures.reason?.id).toBe("tool");
  expect(causePlaces(tree, failures)).toEqual(new Set([3]));
});

test("an error of the trace itself has the place of the trace", () => {
  const tree = growTree(steps.filter(({ id }) => id !== "agent"));
  const failures = findFailures(tree, { status: "failure", error: LIMIT });
  expect(failures.reason).toBeUndefined();
  expect(causePlaces(tree, failures)).toEqual(new Set([-1, 2]));
});

import { growTree, findFailures } from "@sightline/observability/contract";
import { describe, expect, it } from "vitest";
import { step } from "#features/traces/testing/step.ts";
import { causePlaces } from "./causes.ts";
import { findSteps, nextFailure, readFilter } from "./find-steps.ts";

const tree = growTree([
  step("graph", { kind: "graph", status: "failure" }),
  step("ask", { parent: "graph", kind: "llm", model: "Haiku-5" }),
  step("act", { parent: "graph", status: "failure" }),
  step("pay", { parent: "act", kind: "tool", status: "failure", error: "Card refused" }),
  step("ship", { parent: "graph", kind: "tool", status: "failure", code: { file: "src/ship.ts", line: 3 } }),
]);
const path = new Set([0, 2]);
const causes = causePlaces(tree, findFailures(tree, { status: "failure", error: null }));

function found(search: Parameters<typeof readFilter>[0]) {
  const places = findSteps(tree, readFilter(search), { path, causes });
  return places === undefined ? undefined : [...places].map((at) => tree.nodes[at]?.step.name);
}

describe("finding steps", () => {
  it("narrows nothing without a filter, or with one that means nothing", () => {
    expect([found({}), found({ find: "  " }), found({ kind: "elephant", only: "everything" })]).toEqual([undefined, undefined, undefined]);
  });

  it("looks into name, model, error and code, in either case", () => {
    expect([found({ find: "AS" }), found({ find: "haiku" }), found({ find: "card ref" }), found({ find: "ship.ts" })]).toEqual([
      ["ask"],
      ["ask"],
      ["pay"],
      ["ship"],
    ]);
  });

  it("by kind, by failure, by the critical path, and by all of them together", () => {
    expect(found({ kind: "tool" })).toEqual(["pay", "ship"]);
    expect(found({ only: "failures" })).toEqual(["pay", "ship"]);
    expect(found({ only: "critical" })).toEqual(["graph", "act"]);
    expect(found({ kind: "tool", only: "failures", find: "refused" })).toEqual(["pay"]);
  });
});

describe("the next failure", () => {
  it("is the step in which it arose, not those that passed it on, round and round", () => {
    expect([nextFailure(causes, -1, 1), nextFailure(causes, 3, 1), nextFailure(causes, 4, 1)]).toEqual([3, 4, 3]);
    expect([nextFailure(causes, 4, -1), nextFailure(causes, 3, -1)]).toEqual([3, 4]);
  });

  it("is none where nothing failed", () => {
    expect(nextFailure(new Set(), -1, 1)).toBeUndefined();
  });
});

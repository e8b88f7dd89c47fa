import { parseExactly } from "@sightline/foundation/exact-json";
import { describe, expect, it } from "vitest";
import { listNodeRuns, runAfter, runAt, runsBeside } from "./node-runs.ts";
import { changeRows, MAX_CHANGES, isTextChange, stateChanges, readUpdate } from "./state-diff.ts";
import { step } from "#features/traces/testing/step.ts";

describe("the changes of a state", () => {
  const before = { messages: [{ content: "hi" }], count: 1, draft: "x", same: { a: 1 } };
  const after = { messages: [{ content: "hi" }, { content: "hello" }], count: 2, same: { a: 1 }, found: null };

  it("are what was added, removed and changed, in lists too", () => {
    expect(stateChanges(before, after)).toEqual([
      { path: ["messages", 1], kind: "added", before: undefined, after: { content: "hello" } },
      { path: ["count"], kind: "changed", before: 1, after: 2 },
      { path: ["draft"], kind: "removed", before: "x", after: undefined },
      { path: ["found"], kind: "added", before: undefined, after: null },
    ]);
    expect(stateChanges(before, structuredClone(before))).toEqual([]);
    const [less, more] = ['{"a":{"price":1.10}}', '{"a":{"price":1.20}}'].map((json) => parseExactly(json));
    expect(JSON.stringify(stateChanges(less, more))).toBe('[{"path":["a","price"],"kind":"changed","before":1.10,"after":1.20}]');
  });

  it("are found in states that are texts, lists or nothing", () => {
    expect(stateChanges("a", "b")).toMatchObject([{ path: ["value"], kind: "changed", before: "a", after: "b" }]);
    expect(stateChanges([1], [1, 2])).toMatchObject([{ path: [1], kind: "added" }]);
    expect(stateChanges(null, { a: 1 }).map(({ kind }) => kind)).toEqual(["removed", "added"]);
  });

  it("stand in a tree, each key once, what belongs together together", () => {
    const changes = stateChanges({ a: { x: 1, y: 1 }, b: 1 }, { a: { x: 2, y: 2 }, b: 2 });
    expect(changeRows(changes).map(({ depth, key, change }) => [depth, key, change?.kind])).toEqual([
      [0, "a", undefined],
      [1, "x", "changed"],
      [1, "y", "changed"],
      [0, "b", "changed"],
    ]);
  });

  it("are bounded", () => {
    const list = Array.from({ length: 5_000 }, (_, index) => index);
    const rows = changeRows(stateChanges({ list }, { list: list.map((item) => item + 1) }));
    expect(rows.filter(({ change }) => change !== undefined)).toHaveLength(MAX_CHANGES);
  });

  it("of long texts show their words, but not of endless ones", () => {
    const change = (text: string, other: string) => stateChanges({ text }, { text: other }).filter(isTextChange).length;
    expect(change("one\ntwo", "one\nthree")).toBe(1);
    expect(change("a", "b")).toBe(0);
    expect(change("x".repeat(50_000), "y".repeat(50_000))).toBe(0);
  });
});

it("a node's update is what it returned, of a Command its update", () => {
  expect(readUpdate({ count: 2 })).toEqual({ count: 2 });
  expect(readUpdate({ lg_name: "Command", update: { count: 2 }, goto: ["plan"] })).toEqual({ count: 2 });
  expect(readUpdate([1])).toBeUndefined();
  expect(readUpdate(null)).toBeUndefined();
});

describe("the runs of nodes", () => {
  const run = (id: string, node: string, graphStep: number, more = {}) => step(id, { graph_node: node, graph_step: graphStep, ...more });
  const steps = [
    run("a", "a", 1, { start: 0 }),
    run("b", "b", 2, { start: 10 }),
    run("in1", "b:x", 1, { start: 11, parent: "b" }),
    step("llm", { kind: "llm", parent: "in1", start: 12 }),
    run("in2", "b:y", 2, { start: 13, parent: "b" }),
    run("c", "c", 2, { start: 11 }),
    run("d", "d", 3, { start: 30 }),
  ];
  const runs = listNodeRuns(steps);
  const byId = (id: string) => runs.find((one) => one.id === id) ?? step(id);

  it("are in the order of their start, and a step inside one belongs to it", () => {
    expect(runs.map(({ id }) => id)).toEqual(["a", "b", "in1", "c", "in2", "d"]);
    expect(runs[runAt(runs, steps, "llm")]?.id).toBe("in1");
    expect(runAt(runs, steps, "the trace")).toBe(0);
  });

  it("leave their state to the next step of their own graph, together with those beside them", () => {
    expect(runAfter(byId("a"), runs)?.id).toBe("b");
    expect(runAfter(byId("b"), runs)?.id).toBe("d");
    expect(runAfter(byId("in1"), runs)?.id).toBe("in2");
    expect(runAfter(byId("in2"), runs)).toBeUndefined();
    expect(runsBeside(byId("b"), runs).map(({ id }) => id)).toEqual(["c"]);
    expect(runsBeside(byId("a"), runs)).toEqual([]);
  });
});

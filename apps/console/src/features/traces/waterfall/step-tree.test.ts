import { describe, expect, it } from "vitest";
import { step } from "#features/traces/testing/step.ts";
import { stepTree } from "./step-tree.ts";

function shown(steps: Parameters<typeof stepTree>[0]): readonly string[] {
  return stepTree(steps).nodes.map(({ step: { id }, depth }) => `${"  ".repeat(depth - 1)}${id}`);
}

describe("the steps of a trace as a tree", () => {
  it("keep the order of siblings, each with what is below it", () => {
    expect(shown([step("a"), step("b", { parent: "a" }), step("d"), step("c", { parent: "a" })])).toEqual(["a", "  b", "  c", "d"]);
  });

  it("say where a step's own end, so that they can be skipped", () => {
    const { nodes, places, depth } = stepTree([step("a"), step("b", { parent: "a" }), step("c", { parent: "b" }), step("d")]);
    expect(nodes.map(({ after }) => after)).toEqual([3, 3, 3, 4]);
    expect(places.get("d")).toBe(3);
    expect(depth).toBe(3);
  });

  it("hang a step whose parent was lost from the trace, and say so", () => {
    const { nodes } = stepTree([step("a"), step("b", { parent: "lost" })]);
    expect(nodes.map(({ depth, isOrphan }) => [depth, isOrphan])).toEqual([
      [1, false],
      [1, true],
    ]);
  });

  it("lose none whose parents form a ring, which no run can produce", () => {
    expect(shown([step("a", { parent: "b" }), step("b", { parent: "a" }), step("c")])).toEqual(["c", "a", "  b"]);
  });

  it("go deeper than the call stack", () => {
    const deep = Array.from({ length: 20_000 }, (_, index) => step(`s${index}`, index === 0 ? {} : { parent: `s${index - 1}` }));
    expect(stepTree(deep).nodes.at(-1)).toMatchObject({ depth: 20_000, after: 20_000 });
  });

  it("know when each began and ended, by its duration rather than by the clock", () => {
    const [timed, clocked, backwards, running] = stepTree([
      step("a", { start: 5, duration: 1.5 }),
      { ...step("b", { start: 5 }), duration_ms: null, ended_at: new Date(9).toISOString() },
      { ...step("c", { start: 5 }), duration_ms: null, ended_at: new Date(1).toISOString() },
      step("d", { start: 5, duration: null }),
    ]).nodes;
    expect([timed?.end, clocked?.end, backwards?.end, running?.end]).toEqual([6.5, 9, 5, undefined]);
  });
});

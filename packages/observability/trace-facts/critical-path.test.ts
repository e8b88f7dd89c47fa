import { describe, expect, it } from "vitest";
import { criticalPath } from "./critical-path.ts";
import { growTree } from "./step-tree.ts";

type Timed = { readonly parent?: string; readonly start?: number; readonly duration?: number | null };

/** A step of a trace that began with the epoch; times in milliseconds. */
function step(id: string, { parent, start = 0, duration = 10 }: Timed) {
  return { id, parent_id: parent ?? null, started_at: new Date(start).toISOString(), ended_at: null, duration_ms: duration };
}

/** `id start-end …` of each step on the path, the times being those it alone was waited for. */
function path(steps: readonly ReturnType<typeof step>[], end: number): readonly string[] {
  const tree = growTree(steps);
  return [...criticalPath(tree, { start: 0, end })]
    .toSorted(([left], [right]) => left - right)
    .map(([at, spans]) => [tree.nodes[at]?.step.id, ...spans.map((span) => `${span.start}-${span.end}`)].join(" "));
}

describe("the critical path", () => {
  it("goes through steps that follow each other", () => {
    expect(path([step("a", { start: 0, duration: 40 }), step("b", { start: 40, duration: 60 })], 100)).toEqual(["a 0-40", "b 40-100"]);
  });

  it("takes the slowest of parallel children, and of their parent what was before and after", () => {
    const steps = [
      step("parent", { start: 0, duration: 100 }),
      step("fast", { parent: "parent", start: 10, duration: 20 }),
      step("slow", { parent: "parent", start: 10, duration: 80 }),
    ];
    expect(path(steps, 100)).toEqual(["parent 0-10 90-100", "slow 10-90"]);
  });

  it("follows what the slowest waited for: the one that ended last before it began", () => {
    const steps = [
      step("first", { start: 0, duration: 30 }),
      step("beside", { start: 0, duration: 70 }),
      step("second", { start: 30, duration: 70 }),
    ];
    expect(path(steps, 100)).toEqual(["first 0-30", "second 30-100"]);
  });

  it("goes down to the deepest step that was waited for", () => {
    const steps = [
      step("graph", { duration: 100 }),
      step("node", { parent: "graph", start: 20, duration: 80 }),
      step("llm", { parent: "node", start: 30, duration: 70 }),
    ];
    expect(path(steps, 100)).toEqual(["graph 0-20", "node 20-30", "llm 30-100"]);
  });

  it("counts what outlives its parent only up to the parent's end, and not what begins after it", () => {
    const steps = [
      step("parent", { duration: 50 }),
      step("left running", { parent: "parent", start: 10, duration: 90 }),
      step("begun later", { parent: "parent", start: 60, duration: 10 }),
    ];
    expect(path(steps, 50)).toEqual(["parent 0-10", "left running 10-50"]);
  });

  it("has what still runs, as far as the trace has come", () => {
    expect(path([step("done", { duration: 30 }), step("running", { start: 30, duration: null })], 80)).toEqual([
      "done 0-30",
      "running 30-80",
    ]);
  });

  it("is not broken by durations that are finer than the clock", () => {
    const steps = [step("a", { start: 0, duration: 40.6 }), step("b", { start: 40, duration: 60 })];
    expect(path(steps, 100)).toEqual(["a 0-40", "b 40-100"]);
  });

  it("leaves times in which nothing ran to the trace itself", () => {
    expect(path([step("a", { start: 10, duration: 10 }), step("b", { start: 50, duration: 10 })], 100)).toEqual(["a 10-20", "b 50-60"]);
  });

  it("is found in a chain that is deeper than the call stack, and in a fan of twenty thousand", () => {
    const deep = Array.from({ length: 20_000 }, (_, index) => step(`s${index}`, index === 0 ? {} : { parent: `s${index - 1}` }));
    const wide = Array.from({ length: 20_000 }, (_, index) => step(`s${index}`, { start: index, duration: 1 }));
    expect([path(deep, 10), path(wide, 20_000)].map(({ length }) => length)).toEqual([20_000, 20_000]);
  });
});

import { growTree } from "@sightline/observability/contract";
import { describe, expect, it } from "vitest";
import { step } from "#features/traces/testing/step.ts";
import { collapsedBelow, revealed, stepRows } from "./step-rows.ts";

const tree = growTree([step("a"), step("b", { parent: "a" }), step("c", { parent: "b" }), step("d", { parent: "a" }), step("e")]);

function shown({ collapsed = [], found }: { readonly collapsed?: Iterable<string>; readonly found?: readonly string[] } = {}) {
  const places = found === undefined ? undefined : new Set(found.map((id) => tree.places.get(id) ?? -1));
  return stepRows(tree, { traceId: "trace", collapsed: new Set(collapsed), found: places }).map(({ id, isContext }) =>
    isContext ? `(${id})` : id,
  );
}

describe("the rows of a trace", () => {
  it("begin with the trace", () => {
    expect(shown()).toEqual(["trace", "a", "b", "c", "d", "e"]);
  });

  it("leave out what lies under a collapsed one", () => {
    expect(shown({ collapsed: ["b"] })).toEqual(["trace", "a", "b", "d", "e"]);
    expect(shown({ collapsed: ["trace"] })).toEqual(["trace"]);
  });

  it("say which can be opened", () => {
    const rows = stepRows(tree, { traceId: "trace", collapsed: new Set(["b"]), found: undefined });
    expect(rows.map(({ expanded }) => expanded)).toEqual([true, true, false, undefined, undefined]);
    const search = stepRows(tree, { traceId: "trace", collapsed: new Set(), found: new Set([2]) });
    expect(new Set(search.map(({ expanded }) => expanded))).toEqual(new Set([undefined]));
  });

  it("of a search are what it found and what leads there, even under a collapsed one", () => {
    expect(shown({ collapsed: ["a"], found: ["c"] })).toEqual(["(trace)", "(a)", "(b)", "c"]);
    expect(shown({ found: [] })).toEqual(["(trace)"]);
  });

  it("can be collapsed down to a level", () => {
    expect(shown({ collapsed: collapsedBelow(tree, { traceId: "trace", levels: 0 }) })).toEqual(["trace"]);
    expect(shown({ collapsed: collapsedBelow(tree, { traceId: "trace", levels: 1 }) })).toEqual(["trace", "a", "e"]);
    expect(shown({ collapsed: collapsedBelow(tree, { traceId: "trace", levels: 2 }) })).toEqual(["trace", "a", "b", "d", "e"]);
  });

  it("open up to a step that is to be seen, and no further", () => {
    const all = collapsedBelow(tree, { traceId: "trace", levels: 0 });
    expect(shown({ collapsed: revealed(all, tree, { traceId: "trace", id: "d" }) })).toEqual(["trace", "a", "b", "d", "e"]);
    expect(revealed(new Set(["e"]), tree, { traceId: "trace", id: "d" })).toEqual(new Set(["e"]));
  });

  it("begin with one row where a step stands for the trace", () => {
    const whole = growTree([step("root"), step("a", { parent: "root" }), step("b", { parent: "a" })]);
    const rowsOf = (found?: ReadonlySet<number>, collapsed: readonly string[] = []) =>
      stepRows(whole, { traceId: "trace", rootId: "root", collapsed: new Set(collapsed), found }).map(
        ({ id, depth, isContext }) => `${id} ${depth}${isContext ? " context" : ""}`,
      );
    expect(rowsOf()).toEqual(["trace 0", "a 1", "b 2"]);
    expect(rowsOf(undefined, ["trace"])).toEqual(["trace 0"]);
    expect(rowsOf(new Set([0]))).toEqual(["trace 0"]);
    expect(rowsOf(new Set([1]))).toEqual(["trace 0 context", "a 1"]);
  });
});

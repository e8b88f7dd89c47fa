import { describe, expect, it } from "vitest";
import { ancestorPlaces, childPlaces, growTree, withAncestors } from "./step-tree.ts";

function step(id: string, { parent = null }: { readonly parent?: string | null } = {}) {
  return { id, parent_id: parent };
}

function shown(steps: Parameters<typeof growTree>[0]): readonly string[] {
  return growTree(steps).nodes.map(({ step: { id }, depth }) => `${"  ".repeat(depth - 1)}${id}`);
}

describe("the steps of a trace as a tree", () => {
  it("keep the order of siblings, each with what is below it", () => {
    expect(shown([step("a"), step("b", { parent: "a" }), step("d"), step("c", { parent: "a" })])).toEqual(["a", "  b", "  c", "d"]);
  });

  it("say where a step's own end, so that they can be skipped", () => {
    const { nodes, places, depth } = growTree([step("a"), step("b", { parent: "a" }), step("c", { parent: "b" }), step("d")]);
    expect(nodes.map(({ after }) => after)).toEqual([3, 3, 3, 4]);
    expect(places.get("d")).toBe(3);
    expect(depth).toBe(3);
  });

  it("hang a step whose parent was lost from the trace, and say so", () => {
    const { nodes } = growTree([step("a"), step("b", { parent: "lost" })]);
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
    expect(growTree(deep).nodes.at(-1)).toMatchObject({ depth: 20_000, after: 20_000 });
  });

  it("know what is right below and around each", () => {
    const tree = growTree([step("a"), step("b", { parent: "a" }), step("c", { parent: "b" }), step("d", { parent: "a" }), step("e")]);
    expect([-1, 0, 1, 2].map((at) => childPlaces(tree, at))).toEqual([[0, 4], [1, 3], [2], []]);
    expect([2, 0, -1].map((at) => ancestorPlaces(tree, at))).toEqual([[1, 0], [], []]);
    expect(withAncestors(tree, [2, 4])).toEqual(new Set([2, 1, 0, 4]));
  });
});

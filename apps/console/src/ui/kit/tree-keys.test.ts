import { describe, expect, it } from "vitest";
import { nextInTree } from "./tree-keys.ts";
import type { TreeRow } from "./tree-keys.ts";

const rows: readonly TreeRow[] = [
  { id: "a", depth: 0, expanded: true },
  { id: "b", depth: 1, expanded: undefined },
  { id: "c", depth: 1, expanded: false },
  { id: "d", depth: 0, expanded: undefined },
];

describe("the keys of a tree", () => {
  it("move up and down and stop at the ends", () => {
    expect(nextInTree(rows, 0, "ArrowDown")).toEqual({ kind: "move", to: 1 });
    expect(nextInTree(rows, 0, "ArrowUp")).toEqual({ kind: "move", to: 0 });
    expect([nextInTree(rows, 1, "j"), nextInTree(rows, 1, "k")]).toEqual([
      nextInTree(rows, 1, "ArrowDown"),
      nextInTree(rows, 1, "ArrowUp"),
    ]);
    expect(nextInTree(rows, 3, "ArrowDown")).toEqual({ kind: "move", to: 3 });
    expect([nextInTree(rows, 2, "Home"), nextInTree(rows, 0, "End")]).toEqual([
      { kind: "move", to: 0 },
      { kind: "move", to: 3 },
    ]);
  });

  it("open and close with right and left, and step in and out", () => {
    expect(nextInTree(rows, 2, "ArrowRight")).toEqual({ kind: "toggle" });
    expect(nextInTree(rows, 0, "ArrowRight")).toEqual({ kind: "move", to: 1 });
    expect(nextInTree(rows, 0, "ArrowLeft")).toEqual({ kind: "toggle" });
    expect(nextInTree(rows, 2, "ArrowLeft")).toEqual({ kind: "move", to: 0 });
    expect(nextInTree(rows, 3, "ArrowLeft")).toEqual({ kind: "move", to: 3 });
  });

  it("choose with enter and space, and leave every other key to the page", () => {
    expect([nextInTree(rows, 1, "Enter"), nextInTree(rows, 1, " ")]).toEqual([{ kind: "select" }, { kind: "select" }]);
    expect(nextInTree(rows, 1, "/")).toBeUndefined();
  });
});

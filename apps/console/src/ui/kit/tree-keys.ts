export type TreeRow = {
  readonly id: string;
  /** 0 at the top. */
  readonly depth: number;
  /** Undefined for what has nothing below it. */
  readonly expanded: boolean | undefined;
};

export type TreeStep = { readonly kind: "select" } | { readonly kind: "toggle" } | { readonly kind: "move"; readonly to: number };

/** What a key does in a tree whose visible rows are these; undefined for keys that are not the tree's. */
export function nextInTree(rows: readonly TreeRow[], at: number, key: string): TreeStep | undefined {
  const row = rows[at];
  switch (key) {
    case "ArrowDown":
    case "j":
      return { kind: "move", to: Math.min(rows.length - 1, at + 1) };
    case "ArrowUp":
    case "k":
      return { kind: "move", to: Math.max(0, at - 1) };
    case "Home":
      return { kind: "move", to: 0 };
    case "End":
      return { kind: "move", to: rows.length - 1 };
    case "ArrowRight":
      return row?.expanded === false
        ? { kind: "toggle" }
        : { kind: "move", to: Math.min(rows.length - 1, at + (row?.expanded === true ? 1 : 0)) };
    case "ArrowLeft":
      return row?.expanded === true ? { kind: "toggle" } : { kind: "move", to: parentOf(rows, at) };
    case "Enter":
    case " ":
      return { kind: "select" };
    default:
      return undefined;
  }
}

function parentOf(rows: readonly TreeRow[], at: number): number {
  const depth = rows[at]?.depth ?? 0;
  const parent = rows.slice(0, at).findLastIndex((row) => row.depth < depth);
  return parent < 0 ? at : parent;
}

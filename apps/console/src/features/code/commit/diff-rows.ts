/** A line of one version, or of both; `hunk` stands between stretches that are left out. */
export type DiffRow = {
  readonly kind: "same" | "deleted" | "added" | "hunk";
  readonly before: number | undefined;
  readonly after: number | undefined;
  readonly text: string;
  /** Whether the file ends with it, without a line break. */
  readonly isUnended: boolean;
};

const KINDS = { "+": "added", "-": "deleted", " ": "same" } as const;

/** The rows of a unified diff's hunks. */
export function toDiffRows(patch: string): readonly DiffRow[] {
  const rows: DiffRow[] = [];
  let [before, after] = [0, 0];
  for (const line of patch.split("\n").slice(0, -1)) {
    const [, oldStart, newStart] = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line) ?? [];
    const last = rows.at(-1);
    if (oldStart !== undefined) {
      [before, after] = [Number(oldStart), Number(newStart)];
      rows.push({ kind: "hunk", before: undefined, after: undefined, text: line, isUnended: false });
    } else if (line.startsWith("\\") && last !== undefined) {
      rows[rows.length - 1] = { ...last, isUnended: true };
    } else {
      const kind = KINDS[line.startsWith("+") ? "+" : line.startsWith("-") ? "-" : " "];
      const text = line.slice(1).replace(/\r$/, "");
      rows.push({
        kind,
        before: kind === "added" ? undefined : before++,
        after: kind === "deleted" ? undefined : after++,
        text,
        isUnended: false,
      });
    }
  }
  return rows;
}

export type RowPair = { readonly left: DiffRow | undefined; readonly right: DiffRow | undefined };

/** The rows side by side: deleted lines stand beside those that were added in their place. */
export function toPairs(rows: readonly DiffRow[]): readonly RowPair[] {
  const pairs: RowPair[] = [];
  let [deleted, added]: [DiffRow[], DiffRow[]] = [[], []];
  const flush = () => {
    for (let index = 0; index < Math.max(deleted.length, added.length); index += 1) {
      pairs.push({ left: deleted[index], right: added[index] });
    }
    [deleted, added] = [[], []];
  };
  for (const row of rows) {
    if (row.kind === "deleted") {
      deleted.push(row);
    } else if (row.kind === "added") {
      added.push(row);
    } else {
      flush();
      pairs.push({ left: row, right: row });
    }
  }
  flush();
  return pairs;
}

import { renderTable } from "#cli/output/render-table.ts";

export type Kind = "datasets" | "items" | "experiments" | "runs" | "scores" | "prompts";
type Row = { written: number; there: number; readonly left: Map<string, number> };

/** Accounts for every row that was read: it was written, was there already, or was left out for a reason. */
export class Tally {
  readonly #rows = new Map<Kind, Row>();
  readonly #notes = new Map<string, number>();

  written(kind: Kind, count = 1): void {
    this.#of(kind).written += count;
  }

  there(kind: Kind, count = 1): void {
    this.#of(kind).there += count;
  }

  leftOut(kind: Kind, reason: string, count = 1): void {
    const { left } = this.#of(kind);
    left.set(reason, (left.get(reason) ?? 0) + count);
  }

  /** A part of a row that was written without it. */
  note(text: string, count = 1): void {
    this.#notes.set(text, (this.#notes.get(text) ?? 0) + count);
  }

  print(): string {
    const rows = [...this.#rows].map(([kind, row]) => {
      const left = sum(row.left);
      return { cells: [kind, row.written + row.there + left, row.written, row.there, left].map(String), reasons: row.left, kind };
    });
    const table = renderTable(
      ["", "read", "written", "there already", "left out"],
      rows.map(({ cells }) => cells),
    );
    const reasons = rows.flatMap(({ kind, reasons: of }) =>
      mostOften(of).map(([reason, count]) => `left out: ${count} ${kind}: ${reason}`),
    );
    const notes = [...this.#notes].map(([text, count]) => `note: ${count} ${text}`);
    return [table, ...reasons, ...notes].join("\n");
  }

  #of(kind: Kind): Row {
    const row = this.#rows.get(kind) ?? { written: 0, there: 0, left: new Map() };
    this.#rows.set(kind, row);
    return row;
  }
}

const MAX_REASONS = 20;

/** The server may name each row by its id: a list of all of them would tell nobody anything. */
function mostOften(reasons: ReadonlyMap<string, number>): readonly (readonly [string, number])[] {
  const sorted = [...reasons].toSorted(([, a], [, b]) => b - a);
  const others = sorted.slice(MAX_REASONS);
  return others.length === 0 ? sorted : [...sorted.slice(0, MAX_REASONS), ["other reasons", sum(new Map(others))]];
}

function sum(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((total, count) => total + count, 0);
}

import type { ColumnUnit } from "./read-scip.ts";

type Ranged = { readonly line: number; readonly start: number; readonly end: number };

/** The ranges with columns in UTF-16; `undefined` for the first one that a text has no room for. */
export function fitColumns<Range extends Ranged>(
  text: string,
  unit: ColumnUnit,
  ranges: readonly Range[],
): { readonly fitted: readonly Range[] } | { readonly misfit: Range } {
  const lines = text.split("\n");
  const fitted: Range[] = [];
  for (const range of ranges) {
    const line = lines[range.line];
    const columns = line === undefined ? [-1] : [range.start, range.end].map((column) => toUtf16(line, unit, column));
    const [start = -1, end = -1] = columns;
    if (start < 0 || end < 0) {
      return { misfit: range };
    }
    fitted.push({ ...range, start, end });
  }
  return { fitted };
}

const ASCII = /^[\0-\x7f]*$/;

/** -1 where the line ends before. */
function toUtf16(line: string, unit: ColumnUnit, column: number): number {
  if (unit === "utf16" || ASCII.test(line)) {
    return column <= line.length ? column : -1;
  }
  let [counted, at] = [0, 0];
  for (const character of line) {
    if (counted >= column) {
      return at;
    }
    counted += unit === "utf8" ? Buffer.byteLength(character) : 1;
    at += character.length;
  }
  return counted >= column ? at : -1;
}

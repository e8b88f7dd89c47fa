import type { Outline } from "@sightline/code-index/contract";

type OutlineSymbol = Outline["symbols"][number];
export type OutlineRow = OutlineSymbol & {
  readonly depth: number;
  /** The innermost that the line is inside of. */
  readonly current: boolean;
};

/** Definitions from top to bottom, each as deep as those that hold it; with a filter those alone whose names hold it. */
export function outlineRows(
  symbols: readonly OutlineSymbol[],
  { filter, line }: { readonly filter: string; readonly line: number | undefined },
): readonly OutlineRow[] {
  const wanted = filter.trim().toLowerCase();
  const around = line === undefined ? undefined : symbols.findLast(({ start_line: start, end_line: end }) => start <= line && line <= end);
  const open: OutlineSymbol[] = [];
  const rows = symbols.map((symbol): OutlineRow => {
    while (open.length > 0 && (open.at(-1)?.end_line ?? 0) < symbol.end_line) {
      open.pop();
    }
    const depth = open.length;
    open.push(symbol);
    return { ...symbol, depth, current: symbol === around };
  });
  return wanted === "" ? rows : rows.filter(({ name }) => name.toLowerCase().includes(wanted)).map((row) => ({ ...row, depth: 0 }));
}

import type { GrepFile } from "@sightline/code-index/contract";
import type { Range } from "./mark-ranges.ts";

export type GrepLine = { readonly line: number; readonly text: string; readonly ranges: readonly Range[]; readonly matched: boolean };

/** The lines to show of a file, each once and in order, in blocks of lines that follow each other. */
export function blocksOf(matches: GrepFile["matches"]): readonly (readonly GrepLine[])[] {
  const lines = new Map<number, GrepLine>();
  for (const { line, before, after } of matches) {
    for (const [index, text] of [...before, undefined, ...after].entries()) {
      const at = line - before.length + index;
      if (text !== undefined && !lines.has(at)) {
        lines.set(at, { line: at, text, ranges: [], matched: false });
      }
    }
  }
  for (const { line, text, ranges } of matches) {
    lines.set(line, { line, text, ranges, matched: true });
  }
  const blocks: GrepLine[][] = [];
  for (const line of [...lines.values()].toSorted((one, other) => one.line - other.line)) {
    const last = blocks.at(-1);
    if (last !== undefined && last.at(-1)?.line === line.line - 1) {
      last.push(line);
    } else {
      blocks.push([line]);
    }
  }
  return blocks;
}

import type { GrepFile } from "@sightline/code-index/contract";
import type { Range } from "#features/code/highlight/mark-ranges.ts";

export type GrepLine = { readonly line: number; readonly text: string; readonly ranges: readonly Range[]; readonly matched: boolean };

/** The lines to show of a file, each once and in order, in blocks of lines that follow each other. */
export function toBlocks(matches: GrepFile["matches"]): readonly (readonly GrepLine[])[] {
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

/** Files one after the other; one whose lines go on on the next page is one file still. */
export function joinFiles(files: readonly GrepFile[]): readonly GrepFile[] {
  const joined: GrepFile[] = [];
  for (const file of files) {
    const last = joined.at(-1);
    if (last?.repo === file.repo && last.ref === file.ref && last.path === file.path) {
      joined[joined.length - 1] = { ...last, matches: [...last.matches, ...file.matches] };
    } else {
      joined.push(file);
    }
  }
  return joined;
}

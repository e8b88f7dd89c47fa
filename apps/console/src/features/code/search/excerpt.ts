import type { LineRange } from "#features/code/model/line-range.ts";
import type { Range } from "#features/code/highlight/mark-ranges.ts";

type Chunk = {
  readonly lines: readonly string[];
  readonly start: number;
  readonly end: number;
  /** What is marked, by line. */
  readonly matches: ReadonlyMap<number, readonly Range[]>;
  /** The most lines shown in all. */
  readonly limit: number;
};

/** A line that only brings names in says nothing of what is done with them. */
const IMPORT = /^\s*(?:import\b|from\s+\S+\s+import\b|#\s*include\b|using\s+[\w.:]+;|use\s+[\w:\\]+;|(?:const|let|var)\s.*=\s*require\()/;

/**
 * The few lines of a chunk that say most, without imports where there are others: those that hold the most different things that were found, in their order; where they are
 * too few, the lines that follow the first of them; the chunk's beginning when no line matched by word.
 */
export function cutExcerpt({ lines, start, end, matches, limit }: Chunk): readonly LineRange[] {
  const wordsOf = (line: number) =>
    new Set((matches.get(line) ?? []).map(([from, to]) => (lines[line - start] ?? "").slice(from, to).toLowerCase())).size;
  const found = [...matches.keys()].filter((line) => line >= start && line <= end);
  const telling = found.filter((line) => !IMPORT.test(lines[line - start] ?? ""));
  const best = (telling.length > 0 ? telling : found)
    .toSorted((one, other) => wordsOf(other) - wordsOf(one) || one - other)
    .slice(0, limit);
  const first = best.length === 0 ? start : Math.min(...best);
  const shown = new Set(best);
  for (const line of neighboursOf(first, start, end)) {
    if (shown.size < limit) {
      shown.add(line);
    }
  }
  const spans: LineRange[] = [];
  for (const line of [...shown].toSorted((one, other) => one - other)) {
    const last = spans.at(-1);
    if (last?.end === line - 1) {
      spans[spans.length - 1] = { start: last.start, end: line };
    } else {
      spans.push({ start: line, end: line });
    }
  }
  return spans;
}

/** What follows a line, then what is before it. */
function neighboursOf(line: number, start: number, end: number): readonly number[] {
  const after = Array.from({ length: end - line + 1 }, (_, index) => line + index);
  const before = Array.from({ length: line - start }, (_, index) => line - 1 - index);
  return [...after, ...before];
}

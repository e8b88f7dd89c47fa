import type { LineRange } from "#features/code/file/line-range.ts";

/**
 * The spans of a chunk worth showing: each matched line with its neighbours, joined
 * where they touch; the chunk's beginning when no line matched by word.
 */
export function excerptOf({
  start,
  end,
  matched,
  context,
  limit,
}: {
  readonly start: number;
  readonly end: number;
  readonly matched: readonly number[];
  /** Lines shown around a match. */
  readonly context: number;
  /** The most lines shown in all. */
  readonly limit: number;
}): readonly LineRange[] {
  const inside = matched.filter((line) => line >= start && line <= end).toSorted((a, b) => a - b);
  if (inside.length === 0) {
    return [{ start, end: Math.min(end, start + limit - 1) }];
  }
  const spans: LineRange[] = [];
  let left = limit;
  for (const line of inside) {
    const last = spans.at(-1);
    const from = Math.max(start, line - context, last === undefined ? start : last.end + 1);
    const to = Math.min(end, line + context, from + left - 1);
    if (left <= 0 || to < from) {
      continue;
    }
    left -= to - from + 1;
    if (last !== undefined && last.end + 1 === from) {
      spans[spans.length - 1] = { start: last.start, end: to };
    } else {
      spans.push({ start: from, end: to });
    }
  }
  return spans;
}

import type { HighlightedLine } from "#features/code/highlight/highlighter.ts";
import type { Range } from "#features/code/search/mark-ranges.ts";

const IDENTIFIER = /[\p{L}_$][\p{L}\p{N}_$]*/gu;

/** Whether a piece of code of this colour names nothing: keywords, comments, strings. */
export function isNoName(color: string | undefined): boolean {
  return color !== undefined && /token-(?:keyword|comment|string)/.test(color);
}

/** Where in a line the names are. */
export function nameRanges(tokens: HighlightedLine, names: ReadonlySet<string>): readonly Range[] {
  const ranges: Range[] = [];
  let start = 0;
  for (const { text, color } of tokens) {
    for (const { 0: word, index } of isNoName(color) ? [] : text.matchAll(IDENTIFIER)) {
      if (names.has(word)) {
        ranges.push([start + index, start + index + word.length]);
      }
    }
    start += text.length;
  }
  return ranges;
}

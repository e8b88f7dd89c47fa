import type { HighlightedLine } from "#features/code/highlight/highlighter.ts";
import type { Range } from "#features/code/highlight/mark-ranges.ts";

const IDENTIFIER = /[\p{L}_$][\p{L}\p{N}_$]*/gu;

/** Whether a piece of code of this colour names nothing: keywords, comments, strings. */
export function isNoName(color: string | undefined): boolean {
  return color !== undefined && /token-(?:keyword|comment|string)/.test(color);
}

/** What can be followed: what the file itself defines, and what it uses and other files define. */
export type Names = { readonly own: ReadonlySet<string>; readonly used: ReadonlySet<string> };

const IMPORTS = /^\s*(?:import|export|from|use|using|require|include)\b|^\s*(?:type )?\w+,$/u;
const CALLED = /^(?:\s*\(|<|`)/u;
const TYPE_LIKE = /^[_$]*\p{Lu}/u;

/**
 * Where in a line names stand that can be followed. Elsewhere may be defined what is only called alike, as the variables of this file:
 * of the names that others define those are taken that are called, imported, or written as types and constants are.
 */
export function nameRanges(tokens: HighlightedLine, { own, used }: Names): readonly Range[] {
  const line = tokens.map(({ text }) => text).join("");
  const isImport = IMPORTS.test(line);
  const isUse = (word: string, end: number) =>
    own.has(word) || (used.has(word) && (isImport || TYPE_LIKE.test(word) || CALLED.test(line.slice(end))));
  const ranges: Range[] = [];
  let start = 0;
  for (const { text, color } of tokens) {
    for (const { 0: word, index } of isNoName(color) ? [] : text.matchAll(IDENTIFIER)) {
      if (isUse(word, start + index + word.length)) {
        ranges.push([start + index, start + index + word.length]);
      }
    }
    start += text.length;
  }
  return ranges;
}

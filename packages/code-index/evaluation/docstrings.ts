import type { SymbolDefinition } from "#splitting/split-file.ts";

/** A documented definition: what its comment says first, and the file without that comment. */
export type Documented = {
  readonly text: string;
  readonly content: string;
  /** Lines of the definition, in the file without the comment. */
  readonly start: number;
  readonly end: number;
};

type Comment = { readonly from: number; readonly to: number; readonly lines: readonly string[] };

const MIN_WORDS = 5;
const MAX_WORDS = 40;
/** Says nothing about what the code does. */
const NO_DESCRIPTION = /copyright|licen[cs]e|eslint|nolint|todo|fixme|deprecated|https?:|see also|inheritdoc|@ts-|^\W*(?:test|example)/i;

/** Takes a definition's comment out of its file; `undefined` when it has none that reads as a description. */
export function takeDocstring(
  content: string,
  { name, start_line: start, end_line: end }: SymbolDefinition,
  language: string,
): Documented | undefined {
  const lines = content.split("\n");
  const comment = language === "python" ? stringBelow(lines, start, end) : commentAbove(lines, start);
  const text = comment === undefined ? "" : describe(comment.lines, name);
  const words = text.split(/\s+/).length;
  if (comment === undefined || words < MIN_WORDS || words > MAX_WORDS || NO_DESCRIPTION.test(text)) {
    return undefined;
  }
  const removed = comment.to - comment.from;
  const shift = comment.from < start ? removed : 0;
  return { text, content: lines.toSpliced(comment.from - 1, removed).join("\n"), start: start - shift, end: end - removed };
}

/** Lines count from 1; `to` is the first one behind. */
function commentAbove(lines: readonly string[], start: number): Comment | undefined {
  let last = start - 1;
  while (/^\s*(?:@\w|#\[|template\s*<)/.test(lines[last - 1] ?? "")) {
    last--;
  }
  const at = (line: number) => (lines[line - 1] ?? "").trim();
  let first = last;
  if (at(last).endsWith("*/")) {
    while (first > 0 && !at(first).startsWith("/*")) {
      first--;
    }
  } else {
    while (first > 0 && at(first).startsWith("//")) {
      first--;
    }
    first++;
  }
  return first < 1 || first > last ? undefined : { from: first, to: last + 1, lines: lines.slice(first - 1, last) };
}

function stringBelow(lines: readonly string[], start: number, end: number): Comment | undefined {
  let signature = start;
  while (signature <= end && !/:\s*(?:#.*)?$/.test(lines[signature - 1] ?? "")) {
    signature++;
  }
  const first = signature + 1;
  const [, quote = ""] = /^\s*[rRuU]?("""|''')/.exec(lines[first - 1] ?? "") ?? [];
  if (quote === "") {
    return undefined;
  }
  let last = first;
  const opened = (lines[first - 1] ?? "").indexOf(quote) + quote.length;
  if (!(lines[first - 1] ?? "").slice(opened).includes(quote)) {
    do {
      last++;
    } while (last < end && !(lines[last - 1] ?? "").includes(quote));
  }
  // A body must be left.
  return last >= end
    ? undefined
    : { from: first, to: last + 1, lines: lines.slice(first - 1, last).map((line) => line.replaceAll(quote, "")) };
}

/** The comment's first sentence, as a person would ask for it: without markup and without the name of what it describes. */
function describe(lines: readonly string[], name: string): string {
  const text = lines
    .map((line) =>
      line
        .trim()
        .replace(/^(?:\/\*\*?|\*\/|\*|\/\/[/!]?)\s?/, "")
        .replace(/\s*\*\/$/, ""),
    )
    .join("\n")
    .trim();
  const paragraph = /^[^]*?(?=\n\s*\n|\n\s*[@:\\][a-z]|$)/.exec(text)?.[0] ?? "";
  const own = name.split(/::|\./).at(-1);
  const [sentence = ""] = paragraph.replaceAll(/\s+/g, " ").split(/(?<=[a-z)`"'][.:!?])\s/);
  return sentence
    .replaceAll(/\{@\w+\s+([^}]*)\}/g, "$1")
    .replaceAll(/<[^>]*>|[`*]/g, "")
    .replaceAll(/[\p{L}_$][\p{L}\p{N}_$]*(?:\(\))?/gu, (word) => (word.replace("()", "") === own ? "" : word))
    .replaceAll(/\s+/g, " ")
    .trim()
    .replace(/[.:]$/, "");
}

import type { FoundSymbol } from "#contract.ts";
import type { Scope, TenantQuery } from "#store/tenancy/read-scope.store.ts";
import { readChunksAt, type HoldingChunk, type SymbolRow } from "./read-symbols.store.ts";

/** Lines of a definition that may be its signature, or a comment below it. */
const MAX_SIGNATURE_LINES = 6;
const MAX_SIGNATURE_LENGTH = 300;
/** Lines before a definition that may be its comment. */
const MAX_COMMENT_LINES = 12;
const MAX_COMMENT_LENGTH = 600;

export type DefinitionText = Pick<FoundSymbol, "signature" | "comment">;

/** How definitions begin, and what is said of them, in the same order. */
export async function readDefinitionTexts(
  query: TenantQuery,
  scope: Scope,
  rows: readonly Pick<SymbolRow, "document_id" | "start_line" | "end_line">[],
): Promise<readonly DefinitionText[]> {
  const places = rows.map(({ document_id, start_line: start, end_line: end }) => {
    const line = Math.max(1, start - MAX_COMMENT_LINES);
    return { document_id, line, before: start - line, lines: start - line + Math.min(end - start + 1, MAX_SIGNATURE_LINES) };
  });
  const chunks = places.length === 0 ? [] : await readChunksAt(query, scope, places);
  const byDocument = Map.groupBy(chunks, (chunk) => chunk.document_id);
  return places.map(({ document_id: id, line, lines, before }) => {
    const read = linesAt(byDocument.get(id) ?? [], line, lines);
    const definition = read.slice(before);
    return { signature: signatureOf(definition), comment: commentAbove(read.slice(0, before)) || docstringIn(definition) };
  });
}
/** Lines of a file out of its chunks; a line that was cut in two is put together. */
function linesAt(chunks: readonly HoldingChunk[], from: number, count: number): readonly string[] {
  const lines = Array.from({ length: count }, () => "");
  for (const { start_line: start, content } of chunks) {
    for (const [index, text] of content.split("\n").entries()) {
      const at = start + index - from;
      if (at >= 0 && at < count) {
        lines[at] += text;
      }
    }
  }
  return lines.map((line) => line.replace(/\r$/u, ""));
}

/** What opens a body, or ends a declaration. */
const OPENS = /[{;]\s*$|=>\s*$|:\s*$|\bdo\s*$|^\s*end\s*$/u;

function signatureOf(lines: readonly string[]): string {
  const last = lines.findIndex((line) => OPENS.test(line));
  const [first = "", ...others] = lines.slice(0, last === -1 ? 1 : last + 1);
  const text = [first.trim(), ...others.map((line) => line.trim())].join(" ").trim();
  return text.length > MAX_SIGNATURE_LENGTH ? `${text.slice(0, MAX_SIGNATURE_LENGTH).toWellFormed()}…` : text;
}

/** A comment of one line, in the languages that have such; none of what C's preprocessor or Rust's attributes are. */
const LINE_COMMENT = /^(?:\/\/|#(?!\[|!|\s*(?:include|define|undef|if|ifdef|ifndef|else|elif|endif|pragma|region)\b)|--|;;|%%)/u;
const MARKS = /^(?:\/\*+!?|\*+(?!\/)|\/\/[/!]?|#+|--+|;;+|%%+)\s?|\s*\*+\/$/gu;

/** The comment that ends right above a definition, without its marks; decorators may stand between. */
export function commentAbove(lines: readonly string[]): string {
  const trimmed = lines.map((line) => line.trim());
  const end = trimmed.findLastIndex((line) => !/^(?:@|#\[)/u.test(line)) + 1;
  const isBlock = trimmed[end - 1]?.endsWith("*/") === true;
  let start = end;
  while (start > 0 && (isBlock ? !trimmed[start]?.startsWith("/*") : LINE_COMMENT.test(trimmed[start - 1] ?? ""))) {
    start--;
  }
  return shortened(trimmed.slice(start, end).map((line) => line.replaceAll(MARKS, "")));
}

/** Python's way: the text that a definition begins with. */
function docstringIn(lines: readonly string[]): string {
  const text = lines.slice(1).join("\n");
  const [, , docstring = ""] = /^[^"']*?:?\s*[rR]?("""|''')([^]*?)(?:\1|$)/u.exec(text) ?? [];
  return shortened(docstring.split("\n").map((line) => line.trim()));
}

/** What comes before the tags of a comment. */
function shortened(lines: readonly string[]): string {
  const tags = lines.findIndex((line) => /^@\w/u.test(line));
  const text = (tags === -1 ? lines : lines.slice(0, tags)).join("\n").trim();
  return text.length > MAX_COMMENT_LENGTH ? `${text.slice(0, MAX_COMMENT_LENGTH).toWellFormed()}…` : text;
}

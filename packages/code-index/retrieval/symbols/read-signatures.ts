import type { Kysely } from "kysely";
import type { CodeIndexTables } from "#schema.ts";
import { readChunksAt, type HoldingChunk, type SymbolRow } from "./read-symbols.store.ts";
import type { Scope } from "#store/tenancy/read-scope.store.ts";

/** Lines of a definition that may be its signature. */
const LINES = 6;
const LONGEST = 300;

/** How definitions begin, in the same order: their first lines up to what opens the body. */
export async function readSignatures(query: Kysely<CodeIndexTables>, scope: Scope, rows: readonly SymbolRow[]): Promise<readonly string[]> {
  const places = rows.map(({ document_id, start_line: line, end_line: end }) => {
    return { document_id, line, lines: Math.min(end - line + 1, LINES) };
  });
  const chunks = places.length === 0 ? [] : await readChunksAt(query, scope, places);
  const byDocument = Map.groupBy(chunks, (chunk) => chunk.document_id);
  return places.map(({ document_id: id, line, lines }) => signatureOf(linesAt(byDocument.get(id) ?? [], line, lines)));
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
  return text.length > LONGEST ? `${text.slice(0, LONGEST).toWellFormed()}…` : text;
}

import { escapeExpression } from "@sightline/foundation/patterns";
import type { FoundReference, ReferencesAnswer, ReferencesRequest } from "#contract.ts";
import {
  findUsingFiles,
  readChunksHolding,
  readOutlines,
  type OutlineRow,
  type SymbolRow,
  type UsingFile,
  type HoldingChunk,
} from "./read-symbols.store.ts";
import type { Access, Scope, TenantQuery } from "#store/tenancy/read-scope.store.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";
import { askedScope, notesOnEmptyScope } from "#retrieval/scope/asked-scope.ts";
import { fileKindOf, type FileKind } from "#retrieval/ranking/file-kind.ts";
import { definitionsOf, presentSymbols, sortedBy } from "./find-symbol.ts";
import { createPaging, nameBuilds, type FoundPage } from "#retrieval/scope/page-cursor.ts";
import { readScope } from "#retrieval/scope/read-scope.ts";
import { readSymbolName } from "./symbol-name.ts";

const READ_MS = 8_000;
/** Most files that use a name. */
const MAX_FILES = 5_000;
/** Up to this many files are all read, so that uses can be counted. */
const COUNTED_FILES = 200;
const FILES_AT_ONCE = 100;
const DEFINITIONS = 10;

/**
 * Where a name is used, beginning with what is nearest to its definition. The grammars say which files use it, the text on which
 * lines; two things of the same name are not told apart.
 *
 * @throws {AppError} `invalid_query`, `invalid_cursor` (400), and as `readScope`.
 */
export async function findReferences(
  database: CodeIndexDatabase,
  access: Access,
  { symbol, limit, cursor, ...where }: ReferencesRequest,
): Promise<FoundPage<ReferencesAnswer>> {
  const began = performance.now();
  const asked = readSymbolName(symbol);
  const scope = askedScope(access, where);
  return readScope({ database, scope, milliseconds: READ_MS }, async (transaction, builds) => {
    const paging = createPaging(["references", access.tenant.tenantId, asked, where, nameBuilds(builds)]);
    const before = paging.shownBefore(cursor);
    // The definition may lie outside the folder that is asked for.
    const definitions = await definitionsOf(transaction, { ...scope, path: undefined, lang: undefined }, asked);
    const name = definitions.some((row) => row.name === asked.name) ? asked.name : (definitions[0]?.name ?? asked.name);
    const using = await findUsingFiles(transaction, scope, { name, outer: asked.outer, limit: MAX_FILES + 1 });
    const files = nearestTo(definitions, using.slice(0, MAX_FILES));
    const isCounted = files.length <= COUNTED_FILES;
    const found = await readOn(transaction, scope, { files, name, until: isCounted ? Infinity : before + limit + 1 });
    const page = found.slice(before, before + limit);
    const shown = before + page.length;
    return {
      definitions: await presentSymbols(transaction, scope, definitions.slice(0, DEFINITIONS)),
      references: page,
      total: isCounted ? found.length : null,
      files_total: files.length,
      partial: using.length > MAX_FILES,
      notes: [
        ...notesOn({ name: asked.name, definitions, found, files: using.length }),
        ...(found.length === 0 ? await notesOnEmptyScope(transaction, scope) : []),
      ],
      next_cursor: shown < found.length ? paging.cursorAfter(shown) : null,
      ms: Math.round((performance.now() - began) * 10) / 10,
      cursorAfter: (count) => paging.cursorAfter(before + count),
    };
  });
}

type ReadingOn = { readonly files: readonly UsingFile[]; readonly name: string; readonly until: number };

/** Reads file after file until there are enough lines. */
async function readOn(transaction: TenantQuery, scope: Scope, { files, name, until }: ReadingOn): Promise<FoundReference[]> {
  const found: FoundReference[] = [];
  for (let from = 0; from < files.length && found.length < until; from += FILES_AT_ONCE) {
    const batch = files.slice(from, from + FILES_AT_ONCE);
    const documents = [...new Set(batch.map((file) => file.document_id))];
    const chunks = Map.groupBy(await readChunksHolding(transaction, scope, { documents, text: name }), (chunk) => chunk.document_id);
    const outlines = Map.groupBy(await readOutlines(transaction, scope, documents), (row) => row.document_id);
    for (const file of batch) {
      const outline = outlines.get(file.document_id) ?? [];
      const lines = linesUsing(chunks.get(file.document_id) ?? [], name);
      const defining = linesDefining(lines, outline, name);
      found.push(...lines.filter(({ line }) => !defining.has(line)).map((line) => presentReference(file, line, outline)));
    }
  }
  return found;
}

function presentReference(
  { document_id: _document, uses_outer: _outer, ...file }: UsingFile,
  line: UsingLine,
  outline: readonly OutlineRow[],
): FoundReference {
  return { ...file, ...line, within: withinOf(outline, line.line) };
}

/** The innermost definition around a line. Rows are by their first line, the longer ones before. */
function withinOf(outline: readonly OutlineRow[], line: number): string | null {
  const around = outline.findLast((row) => row.start_line <= line && row.end_line >= line && row.end_line > row.start_line);
  if (around === undefined) {
    return null;
  }
  return around.scope === "" ? around.name : `${around.scope} › ${around.name}`;
}

/** A definition's own name is its first line that has it. */
function linesDefining(lines: readonly UsingLine[], outline: readonly OutlineRow[], name: string): ReadonlySet<number> {
  const own = outline.filter((row) => row.name === name || /[^.:#]+$/u.exec(row.name)?.[0] === name);
  return new Set(own.flatMap((row) => lines.find(({ line }) => line >= row.start_line && line <= row.end_line)?.line ?? []));
}

const KINDS: readonly FileKind[] = ["source", "declaration", "test", "example", "document", "data", "generated", "vendored"];

/** The file of a definition, its folder, its repository; code before tests; files that use what the name is inside of. */
function nearestTo(definitions: readonly SymbolRow[], files: readonly UsingFile[]): readonly UsingFile[] {
  const nearest = definitions.slice(0, DEFINITIONS);
  const own = new Set(nearest.map(({ repo, path }) => `${repo} ${path}`));
  const folders = new Set(nearest.map(({ repo, path }) => `${repo} ${folderOf(path)}`));
  const repositories = new Set(nearest.map(({ repo }) => repo));
  const distanceOf = ({ repo, path }: UsingFile) => {
    if (own.has(`${repo} ${path}`)) {
      return 0;
    }
    return folders.has(`${repo} ${folderOf(path)}`) ? 1 : repositories.has(repo) ? 2 : 3;
  };
  return sortedBy(files, (file) => (file.uses_outer ? 0 : 1_000) + KINDS.indexOf(fileKindOf(file.path)) * 10 + distanceOf(file));
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf("/"), 0));
}

type Noted = {
  readonly name: string;
  readonly definitions: readonly SymbolRow[];
  readonly found: readonly unknown[];
  readonly files: number;
};

function notesOn({ name, definitions, found, files }: Noted): string[] {
  const kinds = new Set(definitions.slice(0, DEFINITIONS).map(({ path, repo, scope }) => `${repo} ${path} ${scope}`));
  return [
    ...(found.length === 0
      ? [
          `No file is known to use ${name.slice(0, 100)}. Comments, strings and languages without a grammar are not looked into: search for it letter for letter.`,
        ]
      : []),
    ...(kinds.size > 1 && found.length > 0 ? ["Several definitions have this name; uses of all of them are listed."] : []),
    ...(files > MAX_FILES ? [`More than ${MAX_FILES} files use it; name a repository, a path or a language.`] : []),
  ];
}

type UsingLine = { readonly line: number; readonly text: string; readonly kind: "call" | "import" | "use" };

const MAX_LINE_LENGTH = 300;
/** Characters kept before a name that is far into its line. */
const BEFORE = 100;

/** The lines of a file's chunks that hold a name which is not part of a longer one. */
function linesUsing(chunks: readonly HoldingChunk[], name: string): readonly UsingLine[] {
  const pattern = wholeName(name);
  const found = new Map<number, UsingLine>();
  for (const { start_line: start, content } of chunks) {
    for (const [index, text] of content.split("\n").entries()) {
      const at = text.includes(name) ? text.search(pattern) : -1;
      if (at !== -1 && !found.has(start + index)) {
        found.set(start + index, { line: start + index, text: lineAround(text, at), kind: kindOfUse(text, at + name.length) });
      }
    }
  }
  return [...found.values()].toSorted((one, other) => one.line - other.line);
}

const LETTER = String.raw`[\p{L}\p{M}\p{N}_$]`;

function wholeName(name: string): RegExp {
  const before = new RegExp(`^${LETTER}`, "u").test(name) ? `(?<!${LETTER})` : "";
  const after = new RegExp(`${LETTER}$`, "u").test(name) ? `(?!${LETTER})` : "";
  return new RegExp(`${before}${escapeExpression(name)}${after}`, "u");
}

const IMPORTS = /^\s*(?:import|from|use|using|require|require_relative|include|#\s*include|export\s.*\bfrom)\b|\brequire\s*\(\s*["']/u;
/** Type arguments may stand between a name and what it is called with. */
const CALLED = /^(?:::)?(?:<[^()]{0,100}>)?!?\s*\(/u;

function kindOfUse(text: string, end: number): UsingLine["kind"] {
  if (IMPORTS.test(text)) {
    return "import";
  }
  return CALLED.test(text.slice(end, end + 120)) ? "call" : "use";
}

function lineAround(text: string, at: number): string {
  const line = text.replace(/\s+$/u, "");
  if (line.length <= MAX_LINE_LENGTH) {
    return line;
  }
  const from = at + BEFORE > MAX_LINE_LENGTH ? at - BEFORE : 0;
  const cut = line.slice(from, from + MAX_LINE_LENGTH).toWellFormed();
  return `${from > 0 ? "…" : ""}${cut}${from + MAX_LINE_LENGTH < line.length ? "…" : ""}`;
}

import { AppError } from "@sightline/foundation/errors";
import type { Kysely } from "kysely";
import type { SourceFile } from "#contract.ts";
import type { CodeIndexTables } from "#schema.ts";
import { readAs } from "#store/tenancy/read-as.store.ts";
import { findFile, readPieces, similarPaths, type FilePiece, type FileRow, type RepositoryScope } from "./read-files.store.ts";
import { repositoriesInScope, type RepositoryInScope } from "#store/tenancy/read-scope.store.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";
import { refuseHiddenRepository } from "#retrieval/scope/repository-errors.ts";

type Reading = {
  readonly path: string;
  /** Lines count from 1; the last is included. */
  readonly start?: number | undefined;
  readonly end?: number | undefined;
};

/** Characters of a file in one answer; files over 1 MiB are not indexed. */
const CHARACTERS = 2 * 1024 * 1024;
const READ_MS = 10_000;

/**
 * The lines asked for of a file, at the indexed commit of its branch.
 *
 * @throws {AppError} `repository_not_found` (404), `repository_not_indexed` or `ref_not_indexed` (409), `file_not_found` (404),
 * `file_not_indexed` (409), `invalid_range` (400).
 */
export async function readFile(
  database: CodeIndexDatabase,
  scope: RepositoryScope,
  { path: given, start = 1, end }: Reading,
): Promise<SourceFile> {
  const path = fromRoot(given);
  if (!isText(scope.repo)) {
    return refuseHiddenRepository(database, scope, undefined);
  }
  // A file and its pieces are of one commit: a build that is switched to meanwhile is not seen.
  const found = await readAs(database, scope.tenant, READ_MS, async (transaction) => {
    const file = isText(path) ? await findFile(transaction, scope, path) : undefined;
    if (file === undefined) {
      return { missing: await whyMissing(transaction, scope, path) };
    }
    refuseUnreadable(file, { start, end });
    const last = Math.min(end ?? file.lines, file.lines);
    return { file, last, pieces: await readPieces(transaction, scope, { path, start, end: last }) };
  });
  if (found.missing !== undefined) {
    return refuseMissingFile(database, scope, { path, ...found.missing });
  }
  const { file, last, pieces } = found;
  const { content, lines, truncated } = cut(pieces, start, last);
  return {
    repo: scope.repo,
    ref: file.ref,
    commit: file.commit,
    path,
    language: file.language ?? "text",
    start_line: start,
    end_line: start + Math.max(lines - 1, 0),
    total_lines: file.lines,
    content,
    truncated,
  };
}

function refuseUnreadable(file: FileRow, { start, end }: { readonly start: number; readonly end: number | undefined }): void {
  if (file.skip_reason !== null) {
    throw new AppError({ code: "file_not_indexed", status: 409, message: `${file.path} is not indexed: ${file.skip_reason}.` });
  }
  if (end !== undefined && end < start) {
    throw new AppError({ code: "invalid_range", status: 400, message: `The range ends (${end}) before it starts (${start}).` });
  }
  if (start > Math.max(file.lines, 1)) {
    const message = `${file.path} has ${file.lines} lines; line ${start} is past its end.`;
    throw new AppError({ code: "invalid_range", status: 400, message });
  }
}

/** As the index has it: from the root of the repository, which `./` and `/` are other ways to write. */
export function fromRoot(path: string): string {
  return path.replace(/^(?:\.?\/)+/u, "");
}

/** PostgreSQL's text can't hold a NUL, so no name has one. */
export function isText(text: string): boolean {
  return !text.includes("\0");
}

type Missing = { readonly found: RepositoryInScope | undefined; readonly similar: readonly string[] };

/** What is known in place of a file that is not there. */
export async function whyMissing(query: Kysely<CodeIndexTables>, scope: RepositoryScope, path: string): Promise<Missing> {
  const [found] = await repositoriesInScope(query, scope);
  const name = path.split("/").at(-1) ?? path;
  return { found, similar: isText(name) && name !== "" ? await similarPaths(query, scope, name) : [] };
}

export async function refuseMissingFile(
  database: CodeIndexDatabase,
  scope: RepositoryScope,
  { path, found, similar }: Missing & { readonly path: string },
): Promise<never> {
  if (found === undefined || found.generation === null) {
    return refuseHiddenRepository(database, scope, found);
  }
  const hint = similar.length === 0 ? "search for its name to find it" : `did you mean ${similar.join(" or ")}?`;
  throw new AppError({ code: "file_not_found", status: 404, message: `${scope.repo} has no file ${path.slice(0, 500)}; ${hint}` });
}

type Cut = { readonly content: string; readonly lines: number; readonly truncated: boolean };

function cut(pieces: readonly FilePiece[], start: number, end: number): Cut {
  const text = pieces.map((piece) => piece.content).join("");
  const first = pieces[0]?.start_line ?? 1;
  // Every line keeps its end, so that a whole file is the file to the byte.
  const wanted = text.split(/(?<=\n)/u).slice(start - first, end - first + 1);
  const content = wanted.join("");
  if (content.length <= CHARACTERS) {
    return { content, lines: wanted.length, truncated: false };
  }
  const kept = content.slice(0, CHARACTERS);
  return { content: kept, lines: kept.split(/(?<=\n)/u).length, truncated: true };
}

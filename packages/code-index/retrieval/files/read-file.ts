import { refusal } from "@sightline/foundation/errors";
import type { SourceFile, Coverage, Outline, Tree } from "#contract.ts";
import {
  findFile,
  holdsFilesUnder,
  readPieces,
  similarPaths,
  type FilePiece,
  type FileRow,
  type RepositoryScope,
  countEmbedded,
  readOutline as readOutlineRows,
  listFiles,
  namesDefined,
} from "./read-files.store.ts";
import { repositoriesInScope, type RepositoryInScope, type TenantQuery } from "#store/tenancy/read-scope.store.ts";
import { readAs, type CodeIndexDatabase } from "#store/tenancy/tenant.ts";
import { refuseHiddenRepository } from "#retrieval/scope/repository-errors.ts";
import { storedEmbedders } from "#store/index/vectors.store.ts";

type Reading = {
  readonly path: string;
  /** Lines count from 1; the last is included. */
  readonly start?: number | undefined;
  readonly end?: number | undefined;
};

/** Characters of a file in one answer; files over 1 MiB are not indexed. */
const MAX_CHARACTERS = 2 * 1024 * 1024;
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
  const { file, found: pieces } = await readExisting(database, scope, path, async (transaction, row) => {
    refuseUnreadable(row, { start, end });
    return readPieces(transaction, scope, { path, start, end: Math.min(end ?? row.lines, row.lines) });
  });
  const { content, lines, truncated } = cutToLines(pieces, start, Math.min(end ?? file.lines, file.lines));
  return {
    repo: scope.repo,
    ref: file.ref,
    commit: file.commit,
    path,
    language: file.language ?? "text",
    start_line: start,
    end_line: start + Math.max(lines - 1, 0),
    total_lines: file.lines,
    ...encodingOf(file),
    content,
    truncated,
  };
}

function encodingOf({ encoding }: Pick<FileRow, "encoding">): Pick<SourceFile, "encoding"> {
  return encoding === null ? {} : { encoding };
}

function refuseUnreadable(file: FileRow, { start, end }: { readonly start: number; readonly end: number | undefined }): void {
  if (file.skip_reason !== null) {
    throw refusal(409, "file_not_indexed", `${file.path} is not indexed: ${file.skip_reason}.`);
  }
  refuseRange({ ...file, start, end });
}

type Range = { readonly path: string; readonly lines: number; readonly start: number; readonly end: number | undefined };

/** @throws {AppError} `invalid_range` (400) */
function refuseRange({ path, lines, start, end }: Range): void {
  if (end !== undefined && end < start) {
    throw refusal(400, "invalid_range", `The range ends (${end}) before it starts (${start}).`);
  }
  if (start > Math.max(lines, 1)) {
    throw refusal(400, "invalid_range", `${path} has ${lines} lines; line ${start} is past its end.`);
  }
}

/** The path as the index stores it, from the root of the repository: without a leading `./` or `/`. */
export function fromRoot(path: string): string {
  return path.replace(/^(?:\.?\/)+/u, "");
}

/** PostgreSQL's text can't hold a NUL, so no name has one. */
function isText(text: string): boolean {
  return !text.includes("\0");
}

type Missing = { readonly found: RepositoryInScope | undefined; readonly isFolder: boolean; readonly similar: readonly string[] };

/** The repository and similar paths, to explain why a file is missing. */
export async function whyMissing(query: TenantQuery, scope: RepositoryScope, given: string): Promise<Missing> {
  const [found] = await repositoriesInScope(query, scope);
  const path = given.replace(/\/+$/, "");
  const name = path.split("/").at(-1) ?? path;
  return isText(path) && name !== ""
    ? { found, isFolder: await holdsFilesUnder(query, scope, path), similar: await similarPaths(query, scope, name) }
    : { found, isFolder: false, similar: [] };
}

/** What to try in place of a path that is no file's. */
export function suggestFiles({ isFolder, similar }: Missing): string {
  if (isFolder) {
    return "it is a folder: list its files";
  }
  return similar.length === 0 ? "list the files of its folder, or search for its name" : `did you mean ${similar.join(" or ")}?`;
}

type Looked<Found> = { readonly file: FileRow; readonly found: Found } | { readonly file?: undefined; readonly missing: Missing };

type Read<Found> = (transaction: TenantQuery, file: FileRow) => Promise<Found>;

/** A file and what `read` finds of it: in one transaction, so that both are of one commit even when another build is switched to meanwhile. */
async function lookInto<Found>(
  database: CodeIndexDatabase,
  scope: RepositoryScope,
  path: string,
  read: Read<Found>,
): Promise<Looked<Found>> {
  return readAs(database, scope.tenant, READ_MS, async (transaction) => {
    const file = isText(path) ? await findFile(transaction, scope, path) : undefined;
    return file === undefined ? { missing: await whyMissing(transaction, scope, path) } : { file, found: await read(transaction, file) };
  });
}

/** The same of a file that must be there. */
async function readExisting<Found>(database: CodeIndexDatabase, scope: RepositoryScope, path: string, read: Read<Found>) {
  if (!isText(scope.repo)) {
    return refuseHiddenRepository(database, scope, undefined);
  }
  const looked = await lookInto(database, scope, path, read);
  if (looked.file !== undefined) {
    return looked;
  }
  const { found } = looked.missing;
  if (found === undefined || found.generation === null) {
    return refuseHiddenRepository(database, scope, found);
  }
  throw refusal(404, "file_not_found", `${scope.repo} has no file ${path.slice(0, 500)}; ${suggestFiles(looked.missing)}`);
}

type Cut = { readonly content: string; readonly lines: number; readonly truncated: boolean };

function cutToLines(pieces: readonly FilePiece[], start: number, end: number): Cut {
  const text = pieces.map((piece) => piece.content).join("");
  const first = pieces[0]?.start_line ?? 1;
  // Lines keep their line ends, so that a whole file comes back byte for byte.
  const wanted = text.split(/(?<=\n)/u).slice(start - first, end - first + 1);
  const content = wanted.join("");
  if (content.length <= MAX_CHARACTERS) {
    return { content, lines: wanted.length, truncated: false };
  }
  const kept = content.slice(0, MAX_CHARACTERS);
  return { content: kept, lines: kept.split(/(?<=\n)/u).length, truncated: true };
}

/**
 * Whether a file is searchable, and if not why.
 *
 * @throws {AppError} `repository_not_found` (404), `repository_not_indexed` or `ref_not_indexed` (409).
 */
export async function readCoverage(database: CodeIndexDatabase, scope: RepositoryScope, path: string): Promise<Coverage> {
  const looked = await lookInto(database, scope, path, async (transaction) => {
    const [used] = await storedEmbedders(transaction, scope.tenant);
    return used === undefined ? 0 : countEmbedded(transaction, scope, { path, embedderId: used.embedder_id });
  });
  if (looked.file !== undefined) {
    return coverageOf(looked.file, looked.found);
  }
  const { found, similar } = looked.missing;
  const { ref = null, commit = null } = found ?? {};
  if (ref === null || commit === null) {
    return refuseHiddenRepository(database, scope, found);
  }
  const reason = `the branch ${ref} has no file of this path at its indexed commit`;
  return { path, ref, commit, state: "absent", reason, language: null, bytes: null, chunks: 0, embedded: 0, similar: [...similar] };
}

function coverageOf({ path, ref, commit, language, bytes, chunks, skip_reason: reason }: FileRow, embedded: number): Coverage {
  return { path, ref, commit, state: reason === null ? "indexed" : "skipped", reason, language, bytes, chunks, embedded, similar: [] };
}

/**
 * What a file defines at the indexed commit of its branch, from top to bottom; nothing in a language whose definitions aren't known.
 *
 * @throws {AppError} `repository_not_found` (404), `repository_not_indexed` or `ref_not_indexed` (409), `file_not_found` (404).
 */
export async function readOutline(database: CodeIndexDatabase, scope: RepositoryScope, path: string): Promise<Outline> {
  const { file, found } = await readExisting(database, scope, path, async (transaction) => ({
    symbols: await readOutlineRows(transaction, scope, path),
    names: await namesDefined(transaction, scope, path),
  }));
  const { symbols, names } = found;
  const language = file.language ?? "text";
  return { repo: scope.repo, ref: file.ref, commit: file.commit, path, language, symbols: [...symbols], names: [...names] };
}

/** Files of a tree in one answer. */
const TREE = 100_000;

/**
 * Every path of a branch's indexed commit.
 *
 * @throws {AppError} `repository_not_found` (404), `repository_not_indexed` or `ref_not_indexed` (409).
 */
export async function readTree(database: CodeIndexDatabase, scope: RepositoryScope): Promise<Tree> {
  const { found, files } = await readAs(database, scope.tenant, READ_MS, async (transaction) => {
    const [repository] = await repositoriesInScope(transaction, scope);
    return { found: repository, files: await listFiles(transaction, scope, TREE) };
  });
  const { ref = null, commit = null } = found ?? {};
  if (ref === null || commit === null) {
    return refuseHiddenRepository(database, scope, found);
  }
  return {
    repo: scope.repo,
    ref,
    commit,
    files: files.map(({ path, language, lines }) => ({ path, language: language ?? "text", lines })),
  };
}

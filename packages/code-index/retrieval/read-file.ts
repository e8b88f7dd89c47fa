import { AppError } from "@sightline/foundation/errors";
import type { SourceFile, Tree } from "#contract.ts";
import { findFile, listFiles, readPieces, similarPaths, type FilePiece, type RepositoryScope } from "#store/read-files.store.ts";
import { repositoriesInScope } from "#store/read-scope.store.ts";
import type { CodeIndexDatabase, Tenant } from "#store/tenant.ts";
import { refuseHiddenRepository } from "./repository-errors.ts";

type Reading = {
  readonly tenant: Tenant;
  readonly repo: string;
  readonly path: string;
  /** Lines count from 1; the last is included. */
  readonly start?: number | undefined;
  readonly end?: number | undefined;
};

/** Characters of a file in one answer; files over 1 MiB are not indexed. */
const CHARACTERS = 2 * 1024 * 1024;

/**
 * The lines asked for of a file at the indexed commit.
 *
 * @throws {AppError} `repository_not_found` (404), `repository_not_indexed` (409), `file_not_found` (404),
 * `file_not_indexed` (409), `invalid_range` (400).
 */
export async function readFile(database: CodeIndexDatabase, { tenant, repo, path, start = 1, end }: Reading): Promise<SourceFile> {
  const scope: RepositoryScope = { tenant, repo };
  const file = isText(repo, path) ? await findFile(database, scope, path) : undefined;
  if (file === undefined) {
    return refuseMissingFile(database, scope, path);
  }
  if (file.skip_reason !== null) {
    throw new AppError({ code: "file_not_indexed", status: 409, message: `${path} is not indexed: ${file.skip_reason}.` });
  }
  const last = Math.min(end ?? file.lines, file.lines);
  if (end !== undefined && end < start) {
    throw new AppError({ code: "invalid_range", status: 400, message: `The range ends (${end}) before it starts (${start}).` });
  }
  if (start > Math.max(file.lines, 1)) {
    throw new AppError({ code: "invalid_range", status: 400, message: `${path} has ${file.lines} lines; line ${start} is past its end.` });
  }
  const pieces = await readPieces(database, scope, { path, start, end: last });
  const { content, lines, truncated } = cut(pieces, start, last);
  return {
    repo,
    commit: pieces[0]?.commit ?? file.commit,
    path,
    language: file.language,
    start_line: start,
    end_line: start + Math.max(lines - 1, 0),
    total_lines: file.lines,
    content,
    truncated,
  };
}

/** Files of a tree in one answer. */
const TREE = 100_000;

/**
 * Every path of the indexed commit.
 *
 * @throws {AppError} `repository_not_found` (404), `repository_not_indexed` (409).
 */
export async function readTree(database: CodeIndexDatabase, scope: RepositoryScope): Promise<Tree> {
  const [found] = await repositoriesInScope(database, scope);
  if (found === undefined || found.indexed_commit === null) {
    return refuseHiddenRepository(database, { ...scope, found });
  }
  const files = await listFiles(database, scope, TREE);
  return {
    repo: scope.repo,
    commit: files[0]?.commit ?? found.indexed_commit,
    files: files.map(({ path, language, lines }) => ({ path, language, lines })),
  };
}

/** PostgreSQL's text can't hold a NUL, so no name has one. */
function isText(...texts: readonly string[]): boolean {
  return !texts.some((text) => text.includes("\0"));
}

async function refuseMissingFile(database: CodeIndexDatabase, scope: RepositoryScope, path: string): Promise<never> {
  const [found] = isText(scope.repo) ? await repositoriesInScope(database, scope) : [];
  if (found === undefined || found.generation === null) {
    return refuseHiddenRepository(database, { ...scope, found });
  }
  const name = path.split("/").at(-1) ?? path;
  const similar = isText(name) && name !== "" ? await similarPaths(database, scope, name) : [];
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

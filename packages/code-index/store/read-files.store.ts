import { sql } from "kysely";
import { joinVisible, type Scope } from "./read-scope.store.ts";
import type { CodeIndexDatabase } from "./tenant.ts";

/** A scope of exactly one repository. */
export type RepositoryScope = Pick<Scope, "tenant"> & { readonly repo: string };

export type FileRow = {
  readonly commit: string;
  readonly path: string;
  readonly language: string;
  readonly lines: number;
  readonly skip_reason: string | null;
};

export async function findFile(database: CodeIndexDatabase, scope: RepositoryScope, path: string): Promise<FileRow | undefined> {
  const { rows } = await sql<FileRow>`
    select repository.indexed_commit as commit, file.path, file.language, file.lines, file.skip_reason
    from ${sql.id(scope.tenant.schema, "files")} as file ${joinVisible("file", scope)}
    where file.path = ${path}
  `.execute(database.query);
  return rows[0];
}

/** A repository's files by path, up to `limit`. */
export async function listFiles(database: CodeIndexDatabase, scope: RepositoryScope, limit: number): Promise<readonly FileRow[]> {
  const { rows } = await sql<FileRow>`
    select repository.indexed_commit as commit, file.path, file.language, file.lines, file.skip_reason
    from ${sql.id(scope.tenant.schema, "files")} as file ${joinVisible("file", scope)}
    order by file.path
    limit ${limit}
  `.execute(database.query);
  return rows;
}

/** Paths of the repository that end alike, for people who mistyped one. */
export async function similarPaths(database: CodeIndexDatabase, scope: RepositoryScope, name: string): Promise<readonly string[]> {
  const { rows } = await sql<{ path: string }>`
    select file.path from ${sql.id(scope.tenant.schema, "files")} as file ${joinVisible("file", scope)}
    where lower(file.path) = lower(${name}) or right(lower(file.path), length(${name}) + 1) = '/' || lower(${name})
    order by file.path
    limit 5
  `.execute(database.query);
  return rows.map((row) => row.path);
}

export type FilePiece = { readonly start_line: number; readonly content: string; readonly commit: string };

type Lines = { readonly path: string; readonly start: number; readonly end: number };

/** The chunks that hold lines `start` to `end` of a file, in the file's order: together they are the text, without a hole. */
export async function readPieces(database: CodeIndexDatabase, scope: RepositoryScope, lines: Lines): Promise<readonly FilePiece[]> {
  const { rows } = await sql<FilePiece>`
    select chunk.start_line, chunk.content, repository.indexed_commit as commit
    from ${sql.id(scope.tenant.schema, "code_chunks")} as chunk ${joinVisible("chunk", scope)}
    where chunk.path = ${lines.path} and chunk.end_line >= ${lines.start} and chunk.start_line <= ${lines.end}
    order by chunk.start_byte
  `.execute(database.query);
  return rows;
}

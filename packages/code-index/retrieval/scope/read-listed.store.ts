import { likeContaining } from "@sightline/foundation/patterns";
import { sql } from "kysely";
import { matchesFile, visibleBuilds, type Scope, type TenantQuery } from "#store/tenancy/read-scope.store.ts";

type Listing = {
  readonly limit: number;
  /** Every chunk of a file, and not only its first. */
  readonly everyChunk: boolean;
};

/** The chunks that the scope's filters let through, by repository, path and line, for queries of nothing but filters. */
export async function listChunks(query: TenantQuery, scope: Scope, { limit, everyChunk }: Listing): Promise<readonly number[]> {
  const { rows } = await sql<{ chunk_id: number }>`
    select chunk.chunk_id from ${chunksOfFiles(scope)}
    where ${matchesFile(scope)} and ${everyChunk ? sql`true` : sql`chunk.start_byte = 0`}
    order by build.repo, file.path, chunk.start_byte
    limit ${limit}
  `.execute(query);
  return rows.map((row) => row.chunk_id);
}

/** The texts of those of the chunks, all of them in scope, that the scope's filters let through. */
export async function readContents(
  query: TenantQuery,
  scope: Scope,
  chunkIds: readonly number[],
): Promise<readonly { readonly chunk_id: number; readonly content: string }[]> {
  const { rows } = await sql<{ chunk_id: number; content: string }>`
    select chunk.chunk_id, chunk.content from ${sql.id(scope.tenant.schema, "code_chunks")} as chunk
    where chunk.chunk_id = any(${chunkIds}::bigint[]) and ${matchesFile(scope)}
    order by chunk.chunk_id
  `.execute(query);
  return rows;
}

type Place = { readonly path: string; readonly line: number | undefined; readonly limit: number };

/** The chunks at a line, or the first ones, of the files whose path ends with, or else holds, the one given. */
export async function findByPath(query: TenantQuery, scope: Scope, { path, line = 1, limit }: Place): Promise<readonly number[]> {
  const { rows } = await sql<{ chunk_id: number }>`
    select chunk.chunk_id from ${chunksOfFiles(scope)}
    where file.path ilike ${likeContaining(path)} and ${matchesFile(scope)} and chunk.start_line <= ${line} and chunk.end_line >= ${line}
    order by right('/' || lower(file.path), length(${path}) + 1) = '/' || lower(${path}) desc, length(file.path), chunk.chunk_id
    limit ${limit}
  `.execute(query);
  return rows.map((row) => row.chunk_id);
}

function chunksOfFiles(scope: Scope) {
  const { schema } = scope.tenant;
  return sql`${visibleBuilds(scope)} as build
    join ${sql.id(schema, "files")} as file on file.generation = build.generation
    join ${sql.id(schema, "code_chunks")} as chunk on chunk.document_id = file.document_id`;
}

/** Whether the scope lets any searchable file through. */
export async function hasFiles(query: TenantQuery, scope: Scope): Promise<boolean> {
  const { schema } = scope.tenant;
  const { rows } = await sql`
    select from ${visibleBuilds(scope)} as build
    join ${sql.id(schema, "files")} as file on file.generation = build.generation
    join ${sql.id(schema, "documents")} as document on document.document_id = file.document_id
    where document.chunks > 0 and ${matchesFile(scope, "document")}
    limit 1
  `.execute(query);
  return rows.length > 0;
}

const LANGUAGES = 50;

/** The languages of all files in the scope's repositories and branches, whatever its other filters are. */
export async function indexedLanguages(query: TenantQuery, scope: Scope): Promise<readonly string[]> {
  const { schema } = scope.tenant;
  const { rows } = await sql<{ language: string }>`
    select distinct document.language from ${visibleBuilds(scope)} as build
    join ${sql.id(schema, "files")} as file on file.generation = build.generation
    join ${sql.id(schema, "documents")} as document on document.document_id = file.document_id
    where document.chunks > 0
    order by document.language
    limit ${LANGUAGES}
  `.execute(query);
  return rows.map((row) => row.language);
}

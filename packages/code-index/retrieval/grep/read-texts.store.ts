import { escapeExpression } from "@sightline/foundation/patterns";
import { sql, type RawBuilder } from "kysely";
import type { GrepFile } from "#contract.ts";
import { holdsText, type HeldText } from "#retrieval/scope/read-chunks.store.ts";
import { matchesFile, visibleBuilds, type Scope, type TenantQuery } from "#store/tenancy/read-scope.store.ts";

/** A searchable file of a build that the scope sees. */
export type TextFile = Omit<GrepFile, "matches"> & { readonly document_id: number; readonly bytes: number };

/** In which order files are gone through: by repository, then by path. */
export type FilePlace = { readonly repo: string; readonly path: string };

const fileColumns = sql`build.repo, build.ref, build.commit, file.path, document.language, document.document_id, document.bytes`;

export type ChunkedFile = TextFile & {
  /** Those of its chunks that were asked for. */
  readonly chunk_ids: readonly number[];
};

type Among = {
  /** Chunks any of which the file has. */
  readonly chunkIds: readonly number[];
  /** Where to look for files. */
  readonly repos: readonly string[];
  /** Where to begin. */
  readonly from: FilePlace;
  readonly limit: number;
};

/** The files that have one of the chunks, from a place on. */
export async function filesAmong(
  query: TenantQuery,
  scope: Scope,
  { chunkIds, repos, from, limit }: Among,
): Promise<readonly ChunkedFile[]> {
  const { schema } = scope.tenant;
  const { rows } = await sql<ChunkedFile>`
    select ${fileColumns}, candidate.chunk_ids
    from (
      select document_id, jsonb_agg(chunk_id order by start_byte) as chunk_ids
      from ${sql.id(schema, "code_chunks")} where chunk_id = any(${chunkIds}::bigint[]) group by document_id
    ) as candidate
    join ${sql.id(schema, "files")} as file on file.document_id = candidate.document_id
    join ${visibleBuilds(scope)} as build on build.generation = file.generation
    join ${sql.id(schema, "documents")} as document on document.document_id = candidate.document_id
    where ${matchesFile(scope, "document")} and build.repo = any(${repos}::text[]) and (build.repo, file.path) >= (${from.repo}, ${from.path})
    order by build.repo, file.path
    limit ${limit}
  `.execute(query);
  return rows;
}

/** A repository's files with all their chunks, from a path on. */
export async function filesFrom(
  query: TenantQuery,
  scope: Scope,
  { from, limit }: Pick<Among, "from" | "limit">,
): Promise<readonly ChunkedFile[]> {
  const { schema } = scope.tenant;
  const { rows } = await sql<ChunkedFile>`
    select ${fileColumns}, (
      select jsonb_agg(chunk_id order by start_byte) from ${sql.id(schema, "code_chunks")} as chunk
      where chunk.document_id = document.document_id
    ) as chunk_ids
    from ${visibleBuilds({ ...scope, repo: from.repo })} as build
    join ${sql.id(schema, "files")} as file on file.generation = build.generation
    join ${sql.id(schema, "documents")} as document on document.document_id = file.document_id
    where file.path >= ${from.path} and document.chunks > 0 and ${matchesFile(scope, "document")}
    order by file.path
    limit ${limit}
  `.execute(query);
  return rows;
}

/** A searchable file by its whole path, in a scope of one repository. */
export async function textFileAt(query: TenantQuery, scope: Scope, path: string): Promise<TextFile | undefined> {
  return (await filesWhere(query, scope, sql`file.path = ${path}`))[0];
}

/** Most files of a repository that are one module's by the end of their paths. */
const MAX_MODULE_FILES = 200;

/** The files of one repository that are called so, or stand for a folder that is: `name.ts`, `name/index.ts`. */
export async function filesCalled(query: TenantQuery, scope: Scope, name: string): Promise<readonly TextFile[]> {
  const called = `(^|/)${escapeExpression(name).replaceAll("_", "[-_]")}(/src)?(/(index|__init__|mod|lib|main|init))?(\\.d)?\\.\\w+$`;
  return filesWhere(query, scope, sql`file.path ~ ${called}`);
}

async function filesWhere(query: TenantQuery, scope: Scope, condition: RawBuilder<unknown>): Promise<readonly TextFile[]> {
  const { schema } = scope.tenant;
  const { rows } = await sql<TextFile>`
    select ${fileColumns} from ${visibleBuilds(scope)} as build
    join ${sql.id(schema, "files")} as file on file.generation = build.generation
    join ${sql.id(schema, "documents")} as document on document.document_id = file.document_id
    where ${condition}
    order by length(file.path), file.path
    limit ${MAX_MODULE_FILES}
  `.execute(query);
  return rows;
}

/** The texts of documents that the scope sees, whole. */
export async function readTexts(query: TenantQuery, scope: Scope, documentIds: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const { schema } = scope.tenant;
  const { rows } = await sql<{ document_id: number; content: string }>`
    select chunk.document_id, string_agg(chunk.content, '' order by chunk.start_byte) as content
    from ${sql.id(schema, "code_chunks")} as chunk
    where chunk.document_id = any(array(
      select file.document_id from ${sql.id(schema, "files")} as file
      where file.document_id = any(${documentIds}::bigint[])
        and file.generation = any(array(select generation from ${visibleBuilds(scope)} as build))
    ))
    group by chunk.document_id
  `.execute(query);
  return new Map(rows.map((row) => [row.document_id, row.content]));
}

/** Whole lines of a file; the number of the first, from 0. */
export type FilePart = { readonly line: number; readonly text: string };

type Holding = { readonly chunkIds: readonly number[]; readonly held: HeldText | undefined };

/**
 * Of chunks that the scope sees, by document, the texts of those that hold what is looked for, in order. A line that the chunk before or
 * the next has a part of is put together; `isWhole` is false where more of them have.
 */
export async function readParts(query: TenantQuery, { tenant: { schema } }: Scope, { chunkIds, held }: Holding) {
  const chunks = sql.id(schema, "code_chunks");
  const { rows } = await sql<FilePart & { document_id: number; is_whole: boolean }>`
    select chunk.document_id, chunk.start_line - 1 as line,
      concat(substring(before.content from '[^\n]*$'), chunk.content, substring(next.content from '^[^\n]*')) as text,
      before.start_line is distinct from chunk.start_line and next.end_line is distinct from chunk.end_line as is_whole
    from ${chunks} as chunk
    left join lateral (
      select start_line, end_line, content from ${chunks} as other
      where other.document_id = chunk.document_id and other.start_byte < chunk.start_byte order by other.start_byte desc limit 1
    ) as before on before.end_line = chunk.start_line
    left join ${chunks} as next
      on next.document_id = chunk.document_id and next.start_byte = chunk.end_byte and next.start_line = chunk.end_line
    where chunk.chunk_id = any(${chunkIds}::bigint[])
      and ${held === undefined ? sql`true` : sql`(${holdsText(held)} or before.start_line is not null)`}
    order by chunk.document_id, chunk.start_byte
  `.execute(query);
  return new Map(
    [...Map.groupBy(rows, (row) => row.document_id)].map(([id, parts]) => [id, { parts, isWhole: parts.every((part) => part.is_whole) }]),
  );
}

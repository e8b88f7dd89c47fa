import { escapeExpression } from "@sightline/foundation/patterns";
import { sql, type RawBuilder } from "kysely";
import type { GrepFile } from "#contract.ts";
import { matchesFile, visibleBuilds, type Scope, type TenantQuery } from "#store/tenancy/read-scope.store.ts";

/** A searchable file of a build that the scope sees. */
export type TextFile = Omit<GrepFile, "matches"> & { readonly document_id: number; readonly bytes: number };

/** In which order files are gone through: by repository, then by path. */
export type FilePlace = { readonly repo: string; readonly path: string };

const fileColumns = sql`build.repo, build.ref, build.commit, file.path, document.language, document.document_id, document.bytes`;

type Among = {
  /** Chunks any of which the file has. */
  readonly chunkIds: readonly number[];
  /** Where to begin. */
  readonly from: FilePlace;
  readonly limit: number;
};

/** The files that have one of the chunks, from a place on. */
export async function filesAmong(query: TenantQuery, scope: Scope, { chunkIds, from, limit }: Among): Promise<readonly TextFile[]> {
  const { schema } = scope.tenant;
  const { rows } = await sql<TextFile>`
    select ${fileColumns}
    from (
      select distinct document_id from ${sql.id(schema, "code_chunks")} where chunk_id = any(${chunkIds}::bigint[])
    ) as candidate
    join ${sql.id(schema, "files")} as file on file.document_id = candidate.document_id
    join ${visibleBuilds(scope)} as build on build.generation = file.generation
    join ${sql.id(schema, "documents")} as document on document.document_id = candidate.document_id
    where ${matchesFile(scope, "document")} and (build.repo, file.path) >= (${from.repo}, ${from.path})
    order by build.repo, file.path
    limit ${limit}
  `.execute(query);
  return rows;
}

export type ChunkedFile = TextFile & { readonly chunk_ids: readonly number[] };

/** A repository's files with their chunks, from a path on. */
export async function filesFrom(
  query: TenantQuery,
  scope: Scope,
  { from, limit }: Omit<Among, "chunkIds">,
): Promise<readonly ChunkedFile[]> {
  const { schema } = scope.tenant;
  const { rows } = await sql<ChunkedFile>`
    select ${fileColumns}, array(
      select chunk_id from ${sql.id(schema, "code_chunks")} as chunk where chunk.document_id = document.document_id
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

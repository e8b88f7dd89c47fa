import { sql, type Kysely } from "kysely";
import type { CodeIndexTables } from "#schema.ts";
import { insertRows } from "#store/index/insert-rows.store.ts";
import type { TenantSchema } from "#store/tenancy/tenant.ts";
import { visibleBuilds, type Scope, type TenantQuery } from "#store/tenancy/read-scope.store.ts";

type Query = Kysely<CodeIndexTables>;

/** A file of the scope's build; `document_id` is null where a rule of the repository leaves it out. */
export type IndexedFile = {
  readonly path: string;
  readonly blob: string;
  readonly bytes: number;
  readonly document_id: number | null;
  readonly skip_reason: string | null;
};

export async function filesAt(query: TenantQuery, scope: Scope, paths: readonly string[]): Promise<readonly IndexedFile[]> {
  const { schema } = scope.tenant;
  const { rows } = await sql<IndexedFile>`
    select file.path, file.blob, file.bytes, file.document_id, coalesce(file.skip_reason, document.skip_reason) as skip_reason
    from ${visibleBuilds(scope)} as build
    join ${sql.id(schema, "files")} as file on file.generation = build.generation
    left join ${sql.id(schema, "documents")} as document on document.document_id = file.document_id
    where file.path = any(${paths}::text[])
  `.execute(query);
  return rows;
}

export type NewUpload = {
  readonly repoId: string;
  readonly ref: string;
  readonly commit: string;
  readonly tool: string;
  readonly version: string;
  readonly root: string;
  readonly now: Date;
};

/** Uploads that a branch keeps at the most; the oldest go. */
const MAX_UPLOADS = 50;

/** Begins an upload, which nobody sees before the transaction ends; `undefined` when the branch is gone. */
export async function insertUpload(query: Query, schema: TenantSchema, upload: NewUpload): Promise<number | undefined> {
  const { rows } = await sql<{ upload_id: number }>`
    insert into ${sql.id(schema, "scip_uploads")} (repo_id, ref, commit, tool, tool_version, root, uploaded_at)
    select repo_id, name, ${upload.commit}, ${upload.tool}, ${upload.version}, ${upload.root}, ${upload.now}::timestamptz
    from ${sql.id(schema, "refs")} where repo_id = ${upload.repoId} and name = ${upload.ref}
    returning upload_id
  `.execute(query);
  return rows[0]?.upload_id;
}

/** Deletes what an upload takes the place of. */
export async function deleteReplaced(query: Query, schema: TenantSchema, uploadId: number): Promise<void> {
  const uploads = sql.id(schema, "scip_uploads");
  await sql`
    with ranked as (
      select old.upload_id, old.tool = new.tool and old.root = new.root as is_same, row_number() over (order by old.upload_id desc) as rank
      from ${uploads} as new join ${uploads} as old on old.repo_id = new.repo_id and old.ref = new.ref
      where new.upload_id = ${uploadId}
    )
    delete from ${uploads} where upload_id in (
      select upload_id from ranked where (is_same and upload_id < ${uploadId}) or rank > ${MAX_UPLOADS}
    )
  `.execute(query);
}

export type NewScipDocument = {
  readonly number: number;
  readonly path: string;
  readonly blob: string;
  readonly symbols: readonly number[];
  readonly signatures: readonly string[];
  readonly comments: readonly string[];
  /** Hexadecimal digits behind `\\x`. */
  readonly occurrences: string;
};

export async function insertScipDocuments(
  query: Query,
  schema: TenantSchema,
  uploadId: number,
  rows: readonly NewScipDocument[],
): Promise<void> {
  const columns = "number integer, path text, blob text, symbols integer[], signatures text[], comments text[], occurrences bytea";
  await insertRows(query, schema, { table: "scip_documents", columns, same: { upload_id: uploadId }, rows });
}

export type NewScipSymbol = {
  readonly number: number;
  readonly symbol: string;
  readonly name: string;
  readonly definitions: readonly number[];
  readonly documents: readonly number[];
  /** Numbers of the symbols that it implements or overrides. */
  readonly bases: readonly number[];
};

export async function insertScipSymbols(
  query: Query,
  schema: TenantSchema,
  uploadId: number,
  rows: readonly NewScipSymbol[],
): Promise<void> {
  const columns = "number integer, symbol text, name text, definitions integer[], documents integer[], bases integer[]";
  await insertRows(query, schema, { table: "scip_symbols", columns, same: { upload_id: uploadId }, rows });
}

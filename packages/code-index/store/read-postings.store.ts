import { sql, type Kysely } from "kysely";
import type { CodeIndexTables } from "#schema.ts";
import { joinVisible, matchesFile, type Scope } from "./read-scope.store.ts";

export type VisibleSegment = { readonly segment_id: number; readonly chunks: number };

/** The segments of the builds that the scope sees. */
export async function visibleSegments(query: Kysely<CodeIndexTables>, scope: Scope): Promise<readonly VisibleSegment[]> {
  const { rows } = await sql<VisibleSegment>`
    select segment.segment_id, segment.chunks
    from ${sql.id(scope.tenant.schema, "segments")} as segment ${joinVisible("segment", scope)}
  `.execute(query);
  return rows;
}

export type PostingsRow = { readonly term: string; readonly segment_id: number; readonly df: number; readonly docs: Buffer };

type Wanted = { readonly terms: readonly string[]; readonly segments: readonly number[] };

export async function readPostings(query: Kysely<CodeIndexTables>, { tenant }: Scope, wanted: Wanted): Promise<readonly PostingsRow[]> {
  const { rows } = await sql<PostingsRow>`
    select term, segment_id, df, docs from ${sql.id(tenant.schema, "postings")}
    where term = any(${wanted.terms}::text[]) and segment_id = any(${wanted.segments}::integer[])
  `.execute(query);
  return rows;
}

/** Those of the chunks whose path and language the scope lets through. */
export async function keepMatchingFiles(
  query: Kysely<CodeIndexTables>,
  scope: Scope,
  chunkIds: readonly number[],
): Promise<ReadonlySet<number>> {
  const { rows } = await sql<{ chunk_id: number }>`
    select chunk.chunk_id from ${sql.id(scope.tenant.schema, "code_chunks")} as chunk ${joinVisible("chunk", scope)}
    where chunk.chunk_id = any(${chunkIds}::bigint[]) and ${matchesFile(scope)}
  `.execute(query);
  return new Set(rows.map((row) => row.chunk_id));
}

/** The chunks of all files that the scope's path and language let through, up to `limit`. */
export async function chunksOfMatchingFiles(query: Kysely<CodeIndexTables>, scope: Scope, limit: number): Promise<ReadonlySet<number>> {
  const { rows } = await sql<{ chunk_id: number }>`
    select chunk.chunk_id from ${sql.id(scope.tenant.schema, "code_chunks")} as chunk ${joinVisible("chunk", scope)}
    where ${matchesFile(scope)}
    limit ${limit}
  `.execute(query);
  return new Set(rows.map((row) => row.chunk_id));
}

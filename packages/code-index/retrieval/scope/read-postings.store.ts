import { sql, type RawBuilder } from "kysely";
import type { TenantSchema } from "#store/tenancy/tenant.ts";
import type { TrigramBlock } from "#store/index/trigrams.ts";
import { matchesFile, visibleBuilds, type Scope, type TenantQuery } from "#store/tenancy/read-scope.store.ts";

/** The chunks of a segment that one build sees. */
export type VisibleSegment = {
  readonly segment_id: number;
  /** The build. */
  readonly generation: number;
  /** Tells the tenant's segments from those of any other, also of one of the same name that was deleted. */
  readonly home: number;
  /** Chunks in the segment, seen or not. */
  readonly capacity: number;
  /** Bit n of byte n >> 3, the least significant first; null when all of them are seen. */
  readonly ordinals: Buffer | null;
};

/** The segments of the builds that the scope sees; one that several of them see is there as often. */
export async function visibleSegments(query: TenantQuery, scope: Scope): Promise<readonly VisibleSegment[]> {
  const { schema } = scope.tenant;
  const { rows } = await sql<VisibleSegment>`
    select visible.segment_id, visible.generation, segment.tableoid::bigint as home, segment.chunks as capacity, visible.ordinals
    from ${visibleBuilds(scope)} as build
    join ${sql.id(schema, "visible")} as visible on visible.generation = build.generation
    join ${sql.id(schema, "segments")} as segment on segment.segment_id = visible.segment_id
  `.execute(query);
  return rows;
}

/** Whether each of the segments is still seen by some build. Once none does, it is never seen again and goes. */
export async function areVisible(query: TenantQuery, { tenant }: Scope, segmentIds: readonly number[]): Promise<boolean> {
  const { rows } = await sql<{ seen: number }>`${countSeen(tenant.schema, segmentIds)}`.execute(query);
  return rows[0]?.seen === segmentIds.length;
}

export function countSeen(schema: TenantSchema, segmentIds: readonly number[]): RawBuilder<{ seen: number }> {
  return sql`select count(distinct segment_id)::integer as seen from ${sql.id(schema, "visible")} where segment_id = any(${segmentIds}::integer[])`;
}

export type PostingsRow = { readonly term: string; readonly segment_id: number; readonly df: number; readonly docs: Buffer };

type PostingsQuery = { readonly terms: readonly string[]; readonly segments: readonly number[] };

export async function readPostings(query: TenantQuery, { tenant }: Scope, wanted: PostingsQuery): Promise<readonly PostingsRow[]> {
  const { rows } = await sql<PostingsRow>`
    select term, segment_id, df, docs from ${sql.id(tenant.schema, "postings")}
    where term = any(${wanted.terms}::text[]) and segment_id = any(${wanted.segments}::integer[])
  `.execute(query);
  return rows;
}

export type TrigramsRow = TrigramBlock & { readonly segment_id: number };

type WantedTrigrams = { readonly trigrams: readonly number[]; readonly segments: readonly number[] };

/** The rows that would hold the trigrams, by rising `first`; none of a segment that has no trigrams. */
export async function readTrigrams(
  query: TenantQuery,
  { tenant }: Scope,
  { trigrams, segments }: WantedTrigrams,
): Promise<readonly TrigramsRow[]> {
  const table = sql.id(tenant.schema, "trigrams");
  const { rows } = await sql<TrigramsRow>`
    select distinct on (block.segment_id, block.first) block.segment_id, block.first, block.lists
    from unnest(${segments}::integer[]) as segment(segment_id)
    cross join unnest(${trigrams}::integer[]) as code
    cross join lateral (
      select segment_id, first, lists from ${table} as block
      where block.segment_id = segment.segment_id and block.first <= code order by first desc limit 1
    ) as block
    order by block.segment_id, block.first
  `.execute(query);
  return rows;
}

/** All trigram blocks of a segment. */
export async function readAllTrigrams(query: TenantQuery, { tenant }: Scope, segmentId: number): Promise<readonly TrigramBlock[]> {
  const { rows } = await sql<TrigramBlock>`
    select first, lists from ${sql.id(tenant.schema, "trigrams")} where segment_id = ${segmentId} order by first
  `.execute(query);
  return rows;
}

/** Keeps the chunks whose path and language the scope lets through. */
export async function keepMatchingFiles(query: TenantQuery, scope: Scope, chunkIds: readonly number[]): Promise<ReadonlySet<number>> {
  const { rows } = await sql<{ chunk_id: number }>`
    select chunk.chunk_id from ${sql.id(scope.tenant.schema, "code_chunks")} as chunk
    where chunk.chunk_id = any(${chunkIds}::bigint[]) and ${matchesFile(scope)}
  `.execute(query);
  return new Set(rows.map((row) => row.chunk_id));
}

/** The chunks of all files that the scope's path and language let through. */
export async function chunksOfMatchingFiles(query: TenantQuery, scope: Scope): Promise<ReadonlySet<number>> {
  const { schema } = scope.tenant;
  const { rows } = await sql<{ chunk_id: number }>`
    select chunk.chunk_id
    from ${visibleBuilds(scope)} as build
    join ${sql.id(schema, "files")} as file on file.generation = build.generation
    join ${sql.id(schema, "code_chunks")} as chunk on chunk.document_id = file.document_id
    where ${matchesFile(scope)}
  `.execute(query);
  return new Set(rows.map((row) => row.chunk_id));
}

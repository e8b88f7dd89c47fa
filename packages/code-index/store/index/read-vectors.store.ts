import { sql, type Kysely } from "kysely";
import type { CodeIndexTables } from "#schema.ts";
import { isInFiles, isVisible, matchesFile, type Scope } from "#store/tenancy/read-scope.store.ts";
import { isFresh, isIndexed } from "./vector-index.store.ts";
import { vectorsTable, vectorText, type StoredEmbedder } from "./vectors.store.ts";

/** A query's vector, and the embedder whose vectors it is held against. */
export type Compared = { readonly vector: Float32Array; readonly embedder: StoredEmbedder };

type Nearest = Compared & {
  readonly limit: number;
  /** In scope, and in all of the tenant; about. */
  readonly chunks: { readonly inScope: number; readonly ofTenant: number };
};

/** A scope of fewer chunks, or of a smaller part of the tenant's, is looked through chunk by chunk. */
const FEW = 20_000;
const NARROW = 0.1;

/** Vectors looked through for every chunk wanted, before it is asked which of them are in scope: by an index first few, then more. */
const EXACTLY = 20;
const BY_INDEX = [1.5, 10] as const;
/** What `hnsw.ef_search` may be. */
const MAX_EF_SEARCH = 1_000;

/** The `hnsw.ef_search` with which `findNearest` begins; undefined where it uses no index. */
export function firstEfSearch({ limit, embedder }: Pick<Nearest, "limit" | "embedder">): number | undefined {
  return embedder.near_until === null ? undefined : Math.min(Math.ceil(limit * BY_INDEX[0]), MAX_EF_SEARCH);
}

/**
 * Asked in a transaction with its `firstEfSearch`.
 *
 * The chunks whose vectors are nearest to `vector`, nearest first. Where an index is used one may be missed, but there are never fewer
 * than there would be without: what filters and rights leave too little of is looked through chunk by chunk.
 */
export async function findNearest(query: Kysely<CodeIndexTables>, scope: Scope, nearest: Nearest): Promise<readonly number[]> {
  const { limit, chunks, embedder } = nearest;
  if (chunks.inScope >= FEW || chunks.inScope >= chunks.ofTenant * NARROW) {
    for (const factor of embedder.near_until === null ? [EXACTLY] : BY_INDEX) {
      const found = await amongNearest(query, scope, { ...nearest, among: Math.ceil(limit * factor) });
      if (found.length >= limit) {
        return found;
      }
    }
  }
  return amongChunks(query, scope, nearest);
}

/** Those in scope of the tenant's nearest vectors: there may be more when it is fewer than the limit. */
async function amongNearest(
  query: Kysely<CodeIndexTables>,
  scope: Scope,
  { vector, embedder, limit, among }: Nearest & { readonly among: number },
): Promise<readonly number[]> {
  const table = vectorsTable(scope.tenant.schema, embedder.embedder_id);
  const to = sql`${vectorText(vector)}::halfvec`;
  const { near_until: until } = embedder;
  const byIndex = Math.min(among, MAX_EF_SEARCH);
  if (until !== null && byIndex !== firstEfSearch({ limit, embedder })) {
    await sql`select set_config('hnsw.ef_search', ${String(byIndex)}, true)`.execute(query);
  }
  const near =
    until === null
      ? sql`select text_hash, (embedding <=> ${to}) + 0 as distance from ${table} where embedding is not null order by 2 limit ${among}`
      : sql`
        (select text_hash, embedding <=> ${to} as distance from ${table} where ${isIndexed(until)} order by embedding <=> ${to} limit ${byIndex})
        union all
        (select text_hash, (embedding <=> ${to}) + 0 from ${table} where ${isFresh(until)} and embedding is not null order by 2 limit ${among})`;
  const { rows } = await sql<{ chunk_id: number }>`
    with near as materialized (${near})
    select chunk.chunk_id
    from near join ${sql.id(scope.tenant.schema, "code_chunks")} as chunk on chunk.text_hash = near.text_hash
    where ${matchesFile(scope)} and ${isVisible(scope)}
    order by near.distance, chunk.chunk_id
    limit ${limit}
  `.execute(query);
  return rows.map((row) => row.chunk_id);
}

async function amongChunks(query: Kysely<CodeIndexTables>, scope: Scope, { vector, embedder, limit }: Nearest): Promise<readonly number[]> {
  const { rows } = await sql<{ chunk_id: number }>`
    select chunk.chunk_id
    from ${sql.id(scope.tenant.schema, "code_chunks")} as chunk
    join ${vectorsTable(scope.tenant.schema, embedder.embedder_id)} as vector on vector.text_hash = chunk.text_hash
    where vector.embedding is not null and ${matchesFile(scope)} and ${isInFiles(scope)}
    order by (vector.embedding <=> ${vectorText(vector)}::halfvec) + 0, chunk.chunk_id
    limit ${limit}
  `.execute(query);
  return rows.map((row) => row.chunk_id);
}

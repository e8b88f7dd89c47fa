import { sql, type Kysely, type RawBuilder } from "kysely";
import type { CodeIndexTables } from "#schema.ts";
import { isInFiles, isVisible, matchesFile, type Scope } from "./read-scope.store.ts";
import type { Tenant } from "./tenant.ts";
import { vectorText } from "./vectors.ts";

/** An embedder whose vectors a tenant has. */
export type StoredEmbedder = {
  readonly embedder_id: number;
  readonly identity: string;
  readonly provider: string;
  readonly model: string;
  readonly dimensions: number;
  readonly last_error: string | null;
};

/** The tenant's embedders; first the one in use: the newest that had a vector for every chunk, or else the newest. */
export async function storedEmbedders(query: Kysely<CodeIndexTables>, { schema }: Tenant): Promise<readonly StoredEmbedder[]> {
  const { rows } = await sql<StoredEmbedder>`
    select embedder_id, identity, provider, model, dimensions, last_error
    from ${sql.id(schema, "embedders")}
    order by complete_at is null, embedder_id desc
  `.execute(query);
  return rows;
}

export function vectorsTable({ schema }: Tenant, embedderId: number): RawBuilder<unknown> {
  return sql.id(schema, `vectors_${embedderId}`);
}

type Nearest = {
  readonly vector: Float32Array;
  readonly embedderId: number;
  readonly limit: number;
  /** Which part of the tenant's chunks is in scope, about. */
  readonly share: number;
};

/** Vectors looked through for every chunk wanted, before it is asked which of them are in scope. */
const OVERFETCH = 20;
/** A scope of a smaller part of the tenant's chunks is looked through chunk by chunk. */
const NARROW = 0.1;

/** The chunks whose vectors are nearest to `vector`, nearest first, exactly. */
export async function findNearest(query: Kysely<CodeIndexTables>, scope: Scope, nearest: Nearest): Promise<readonly number[]> {
  const found = nearest.share < NARROW ? [] : await amongNearest(query, scope, nearest);
  return found.length < nearest.limit ? amongChunks(query, scope, nearest) : found;
}

/** Those in scope of the nearest vectors of the tenant: there may be more when it is fewer than the limit. */
async function amongNearest(
  query: Kysely<CodeIndexTables>,
  scope: Scope,
  { vector, embedderId, limit }: Nearest,
): Promise<readonly number[]> {
  const { rows } = await sql<{ chunk_id: number }>`
    with near as materialized (
      select vector.text_hash, (vector.embedding <=> ${vectorText(vector)}::halfvec) + 0 as distance
      from ${vectorsTable(scope.tenant, embedderId)} as vector
      where vector.embedding is not null
      order by 2
      limit ${limit * OVERFETCH}
    )
    select chunk.chunk_id
    from near join ${sql.id(scope.tenant.schema, "code_chunks")} as chunk on chunk.text_hash = near.text_hash
    where ${matchesFile(scope)} and ${isVisible(scope)}
    order by near.distance, chunk.chunk_id
    limit ${limit}
  `.execute(query);
  return rows.map((row) => row.chunk_id);
}

async function amongChunks(
  query: Kysely<CodeIndexTables>,
  scope: Scope,
  { vector, embedderId, limit }: Nearest,
): Promise<readonly number[]> {
  const { rows } = await sql<{ chunk_id: number }>`
    select chunk.chunk_id
    from ${sql.id(scope.tenant.schema, "code_chunks")} as chunk
    join ${vectorsTable(scope.tenant, embedderId)} as vector on vector.text_hash = chunk.text_hash
    where vector.embedding is not null and ${matchesFile(scope)} and ${isInFiles(scope)}
    order by (vector.embedding <=> ${vectorText(vector)}::halfvec) + 0, chunk.chunk_id
    limit ${limit}
  `.execute(query);
  return rows.map((row) => row.chunk_id);
}

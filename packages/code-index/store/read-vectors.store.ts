import { sql, type Kysely, type RawBuilder } from "kysely";
import type { CodeIndexTables } from "#schema.ts";
import { isVisible, matchesFile, type Scope } from "./read-scope.store.ts";
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

type Nearest = { readonly vector: Float32Array; readonly embedderId: number; readonly limit: number };

/** The chunks whose vectors are nearest to `vector`, nearest first; an exact scan of the scope. */
export async function findNearest(
  query: Kysely<CodeIndexTables>,
  scope: Scope,
  { vector, embedderId, limit }: Nearest,
): Promise<readonly number[]> {
  const { rows } = await sql<{ chunk_id: number }>`
    select chunk.chunk_id
    from ${sql.id(scope.tenant.schema, "code_chunks")} as chunk
    join ${vectorsTable(scope.tenant, embedderId)} as vector on vector.text_hash = chunk.text_hash
    where vector.embedding is not null and ${matchesFile(scope)} and ${isVisible(scope)}
    order by (vector.embedding <=> ${vectorText(vector)}::halfvec) + 0
    limit ${limit}
  `.execute(query);
  return rows.map((row) => row.chunk_id);
}

import { sql, type Kysely } from "kysely";
import type { CodeIndexTables } from "#schema.ts";
import { containing, filtersFiles, joinVisible, matchesFile, type Scope } from "./read-scope.store.ts";
import { vectorText } from "./vectors.ts";

export type FoundChunk = {
  readonly chunk_id: number;
  readonly repo: string;
  readonly commit: string;
  readonly path: string;
  readonly language: string;
  readonly start_line: number;
  readonly end_line: number;
  readonly symbols: readonly string[];
  readonly content: string;
};

export async function readChunks(
  query: Kysely<CodeIndexTables>,
  scope: Scope,
  chunkIds: readonly number[],
): Promise<readonly FoundChunk[]> {
  const { rows } = await sql<FoundChunk>`
    select chunk.chunk_id, repository.full_name as repo, repository.indexed_commit as commit, chunk.path, chunk.language,
      chunk.start_line, chunk.end_line, chunk.symbols, chunk.content
    from ${sql.id(scope.tenant.schema, "code_chunks")} as chunk ${joinVisible("chunk", scope)}
    where chunk.chunk_id = any(${chunkIds}::bigint[])
  `.execute(query);
  return rows;
}

export type LiteralHit = {
  readonly chunk_id: number;
  /** It defines one of the names. */
  readonly defines: boolean;
  /** It holds one of the literals letter for letter. */
  readonly same_case: boolean;
};

type Literals = {
  readonly literals: readonly string[];
  readonly names: readonly string[];
  readonly limit: number;
};

/** Chunks that hold one of the literals in either case, or define one of the names; up to `limit` of each, in no order. */
export async function findLiterals(
  query: Kysely<CodeIndexTables>,
  scope: Scope,
  { literals, names, limit }: Literals,
): Promise<readonly LiteralHit[]> {
  const chunks = sql`${sql.id(scope.tenant.schema, "code_chunks")} as chunk ${joinVisible("chunk", scope)}`;
  const patterns = literals.map(containing);
  const holds = sql.join(
    patterns.map((pattern) => sql`chunk.content ilike ${pattern}`),
    sql` or `,
  );
  const holdsInSameCase = sql.join(
    patterns.map((pattern) => sql`chunk.content like ${pattern}`),
    sql` or `,
  );
  const { rows } = await sql<LiteralHit>`
    (select chunk.chunk_id, true as defines, true as same_case from ${chunks}
      where chunk.symbols && ${names}::text[] and ${matchesFile(scope)} limit ${limit})
    union all
    (select chunk.chunk_id, false as defines, (${holdsInSameCase}) as same_case from ${chunks}
      where (${holds}) and ${matchesFile(scope)} limit ${limit})
  `.execute(query);
  return rows;
}

type Nearest = { readonly vector: Float32Array; readonly embedder: string; readonly limit: number };

/** The chunks whose vectors are nearest to `vector`, nearest first; an exact scan of the scope. */
export async function findNearest(
  query: Kysely<CodeIndexTables>,
  scope: Scope,
  { vector, embedder, limit }: Nearest,
): Promise<readonly number[]> {
  const distance = sql`(vector.embedding <=> ${vectorText(vector)}::halfvec)`;
  const files = filtersFiles(scope)
    ? sql`join ${sql.id(scope.tenant.schema, "code_chunks")} as chunk on chunk.chunk_id = vector.chunk_id and ${matchesFile(scope)}`
    : sql``;
  const { rows } = await sql<{ chunk_id: number }>`
    select vector.chunk_id
    from ${sql.id(scope.tenant.schema, "code_vectors_hash_v1")} as vector ${joinVisible("vector", scope)} ${files}
    where repository.embedder = ${embedder}
    order by ${distance} + 0
    limit ${limit}
  `.execute(query);
  return rows.map((row) => row.chunk_id);
}

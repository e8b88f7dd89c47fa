import { sql } from "kysely";
import type { TenantQuery } from "#store/tenancy/read-scope.store.ts";
import type { Tenant } from "#store/tenancy/tenant.ts";
import { vectorsTable } from "#store/index/vectors.store.ts";

export type EmbeddedBranch = {
  readonly repo_id: string;
  readonly full_name: string;
  readonly ref: string;
  readonly chunks: number;
  readonly pending: number;
  readonly refused: number;
  readonly error: string | null;
};

/** How far the vectors of each branch are that searches see. */
export async function embeddedBranches(query: TenantQuery, { schema }: Tenant, embedderId: number): Promise<readonly EmbeddedBranch[]> {
  const { rows } = await sql<EmbeddedBranch>`
    with refused as (
      select file.generation, count(*) as chunks, min(vector.error) as error
      from ${vectorsTable(schema, embedderId)} as vector
      join ${sql.id(schema, "code_chunks")} as chunk on chunk.text_hash = vector.text_hash and vector.error is not null
      join ${sql.id(schema, "files")} as file on file.document_id = chunk.document_id
      group by file.generation
    )
    select repository.id as repo_id, repository.full_name, ref.name as ref, ref.chunks, ref.vectors_pending as pending,
      coalesce(refused.chunks, 0) as refused, coalesce(ref.vectors_error, refused.error) as error
    from ${sql.id(schema, "refs")} as ref join ${sql.id(schema, "repositories")} as repository on repository.id = ref.repo_id
    left join refused on refused.generation = ref.generation
    where ref.generation is not null
    order by repository.full_name, ref.name
  `.execute(query);
  return rows;
}

/** Texts with a vector of an embedder, and texts that wait for one. */
export async function countTexts(
  query: TenantQuery,
  { schema }: Tenant,
  embedderId: number,
): Promise<{ readonly embedded: number; readonly pending: number }> {
  const { rows } = await sql<{ embedded: number; pending: number }>`
    select count(*) filter (where embedding is not null) as embedded, count(*) filter (where embedding is null and error is null) as pending
    from ${vectorsTable(schema, embedderId)}
  `.execute(query);
  return rows[0] ?? { embedded: 0, pending: 0 };
}

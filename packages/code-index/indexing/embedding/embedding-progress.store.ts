import { sql, type Kysely, type Transaction } from "kysely";
import type { CodeIndexTables } from "#schema.ts";
import { lockRepositories, settleIndexStatus } from "#store/records/index-status.store.ts";
import type { CodeIndexDatabase, Tenant } from "#store/tenancy/tenant.ts";
import { storedEmbedders, vectorsTable } from "#store/index/vectors.store.ts";

type TenantSchema = Pick<Tenant, "tenantId" | "schema">;

type Waiting = { readonly pending: number; readonly error: string | null };

/** Chunks of a generation that wait for a vector of the embedder in use, and what its provider last said about that. */
export async function readWaiting(
  transaction: Transaction<CodeIndexTables>,
  { schema, generation }: Pick<Tenant, "schema"> & { readonly generation: number },
): Promise<Waiting> {
  const [used] = await storedEmbedders(transaction, { schema });
  if (used === undefined) {
    return { pending: 0, error: null };
  }
  const { rows } = await sql<{ pending: number }>`
    select count(*) as pending from ${waitingChunks(schema, used.embedder_id)} where file.generation = ${generation}
  `.execute(transaction);
  const pending = rows[0]?.pending ?? 0;
  return { pending, error: pending > 0 ? used.last_error : null };
}

function waitingChunks(schema: Tenant["schema"], embedderId: number) {
  return sql`${vectorsTable(schema, embedderId)} as vector
    join ${sql.id(schema, "code_chunks")} as chunk on chunk.text_hash = vector.text_hash and vector.embedding is null and vector.error is null
    join ${sql.id(schema, "files")} as file on file.document_id = chunk.document_id`;
}

type CountedRef = {
  readonly ref_id: string;
  readonly repo_id: string;
  readonly generation: number;
  /** When the branch had last been indexed as this was counted; another time means that it was indexed since. */
  readonly indexed_at: Date | null;
  readonly pending: number;
  readonly error: string | null;
  readonly changed: boolean;
};

/** Brings what the tenant's branches and repositories say about waiting vectors up to date. Returns how many chunks wait. */
export async function refreshWaiting(database: CodeIndexDatabase, tenant: TenantSchema): Promise<number> {
  const counted = await countWaiting(database.query, tenant);
  const changed = counted.filter((ref) => ref.changed);
  if (changed.length > 0) {
    await database.query.transaction().execute(async (transaction) => {
      await lockRepositories(
        transaction,
        changed.map((ref) => ref.repo_id),
      );
      const { rows } = await sql<{ repo_id: string }>`
        update codeindex.refs as ref set vectors_pending = given.pending, vectors_error = given.error
        from json_to_recordset(${JSON.stringify(changed)}::json)
          as given(ref_id uuid, generation integer, indexed_at timestamptz, pending integer, error text)
        where ref.ref_id = given.ref_id and ref.tenant_id = ${tenant.tenantId} and ref.generation = given.generation
          and ref.indexed_at is not distinct from given.indexed_at
        returning ref.repo_id
      `.execute(transaction);
      await settleIndexStatus(transaction, rows);
    });
  }
  return counted.reduce((sum, ref) => sum + ref.pending, 0);
}

async function countWaiting(query: Kysely<CodeIndexTables>, { tenantId, schema }: TenantSchema): Promise<readonly CountedRef[]> {
  const [used] = await storedEmbedders(query, { schema });
  if (used === undefined) {
    return [];
  }
  const { rows } = await sql<CountedRef>`
    with waiting as (
      select file.generation, count(*) as pending from ${waitingChunks(schema, used.embedder_id)} group by file.generation
    ), counted as (
      select ref.ref_id, ref.repo_id, ref.generation, ref.indexed_at, ref.vectors_pending, ref.vectors_error,
        coalesce(waiting.pending, 0) as pending, case when waiting.pending > 0 then ${used.last_error}::text end as error
      from codeindex.refs as ref left join waiting on waiting.generation = ref.generation
      where ref.tenant_id = ${tenantId} and ref.generation is not null
    )
    select ref_id, repo_id, generation, indexed_at, pending, error, (vectors_pending, vectors_error) is distinct from (pending, error) as changed
    from counted
  `.execute(query);
  return rows;
}

/** Tenants with a branch that says it waits for vectors. */
export async function tenantsThatWait(database: CodeIndexDatabase): Promise<ReadonlySet<string>> {
  const rows = await database.query.selectFrom("codeindex.refs").select("tenant_id").distinct().where("vectors_pending", ">", 0).execute();
  return new Set(rows.map((row) => row.tenant_id));
}

/** Where nothing embeds any more, no branch waits. */
export async function clearWaiting(database: CodeIndexDatabase, { tenantId }: Pick<Tenant, "tenantId">): Promise<void> {
  await database.query.transaction().execute(async (transaction) => {
    const rows = await transaction
      .updateTable("codeindex.refs")
      .set({ vectors_pending: 0, vectors_error: null })
      .where("tenant_id", "=", tenantId)
      .where("vectors_pending", ">", 0)
      .returning("repo_id")
      .execute();
    await settleIndexStatus(transaction, rows);
  });
}

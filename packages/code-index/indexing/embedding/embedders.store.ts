import { sql } from "kysely";
import { lockTenant, type CodeIndexDatabase, type Tenant } from "#store/tenancy/tenant.ts";
import { vectorsTable } from "#store/index/vectors.store.ts";

type TenantSchema = Pick<Tenant, "tenantId" | "schema">;

/** Has searches use the embedder's vectors from now on, once every text has one or was refused; false while some have not. */
export async function completeEmbedder(
  database: CodeIndexDatabase,
  tenant: TenantSchema,
  { embedderId, now }: { readonly embedderId: number; readonly now: Date },
): Promise<boolean> {
  const vectors = vectorsTable(tenant.schema, embedderId);
  return database.query.transaction().execute(async (transaction) => {
    await lockTenant(transaction, tenant, "alone");
    const { rows } = await sql`
      update ${sql.id(tenant.schema, "embedders")} set complete_at = ${now}, last_error = null, last_error_at = null
      where embedder_id = ${embedderId} and complete_at is null
        and not exists (select from ${vectors} where embedding is null and error is null)
        and not exists (
          select from ${sql.id(tenant.schema, "code_chunks")} as chunk
          where chunk.text_hash is not null and not exists (select from ${vectors} as vector where vector.text_hash = chunk.text_hash)
        )
      returning embedder_id
    `.execute(transaction);
    return rows.length > 0;
  });
}

/** How long searches that chose the former vectors may still take. */
const GRACE_MS = 60_000;
/** One that never got all its vectors was left by a process with other settings. */
const ABANDONED_MS = 24 * 60 * 60_000;

/**
 * Deletes the vectors of the embedders that a complete one has replaced. Newer ones are left: another process, with newer
 * settings, may be making them.
 *
 * @returns how many are still there to be deleted.
 */
export async function dropReplacedEmbedders(
  database: CodeIndexDatabase,
  tenant: TenantSchema,
  { embedderId, now }: { readonly embedderId: number; readonly now: Date },
): Promise<number> {
  const graceOver = new Date(now.getTime() - GRACE_MS);
  const abandoned = new Date(now.getTime() - ABANDONED_MS);
  return database.query.transaction().execute(async (transaction) => {
    // A search that still reads them goes first; the next round tries again.
    await sql`select set_config('lock_timeout', '2s', true)`.execute(transaction);
    await lockTenant(transaction, tenant, "alone");
    const { rows } = await sql<{ embedder_id: number }>`
      delete from ${sql.id(tenant.schema, "embedders")} as replaced using ${sql.id(tenant.schema, "embedders")} as used
      where used.embedder_id = ${embedderId} and used.complete_at < ${graceOver} and replaced.embedder_id <> used.embedder_id
        and (replaced.embedder_id < used.embedder_id or replaced.complete_at is null and replaced.created_at < ${abandoned})
      returning replaced.embedder_id
    `.execute(transaction);
    for (const { embedder_id: replaced } of rows) {
      await sql`drop table if exists ${vectorsTable(tenant.schema, replaced)}`.execute(transaction);
    }
    const { rows: left } = await sql`
      select from ${sql.id(tenant.schema, "embedders")} where embedder_id < ${embedderId}
    `.execute(transaction);
    return left.length;
  });
}

type EmbedderState = { readonly complete: boolean; readonly lastError: string | null };

/** `undefined` when another embedder has replaced it. */
export async function embedderState(
  database: CodeIndexDatabase,
  { schema }: TenantSchema,
  embedderId: number,
): Promise<EmbedderState | undefined> {
  const row = await database.query
    .withSchema(schema)
    .selectFrom("embedders")
    .select(["complete_at", "last_error"])
    .where("embedder_id", "=", embedderId)
    .executeTakeFirst();
  return row === undefined ? undefined : { complete: row.complete_at !== null, lastError: row.last_error };
}

/** What the provider last said, or null when it answers again. */
export async function noteProviderError(
  database: CodeIndexDatabase,
  { schema }: Pick<Tenant, "schema">,
  { embedderId, error, now }: { readonly embedderId: number; readonly error: string | null; readonly now: Date },
): Promise<void> {
  await database.query
    .withSchema(schema)
    .updateTable("embedders")
    .set({ last_error: error, last_error_at: error === null ? null : now })
    .where("embedder_id", "=", embedderId)
    .execute();
}

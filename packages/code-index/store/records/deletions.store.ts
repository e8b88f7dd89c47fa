import { sql, type RawBuilder, type Transaction } from "kysely";
import type { CodeIndexTables } from "#schema.ts";
import { endJobs, lockJobs } from "./jobs.store.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";

type Moment = { readonly now: Date };
type OfRepository = { readonly tenantId: string; readonly repoId: string };

/** Hides a repository at once, ends its jobs and forgets its webhook's secret; false when the tenant has no such repository. */
export async function markRepository(database: CodeIndexDatabase, { tenantId, repoId, now }: OfRepository & Moment): Promise<boolean> {
  return database.query.transaction().execute(async (transaction) => {
    await lockJobs(transaction, { tenantId, repoId });
    const marked = await transaction
      .updateTable("codeindex.repositories")
      .set({ deleting_at: now, sealed_webhook_secret: null, credential_id: null })
      .where("id", "=", repoId)
      .where("tenant_id", "=", tenantId)
      .where("deleting_at", "is", null)
      .returning("id")
      .executeTakeFirst();
    if (marked === undefined) {
      return false;
    }
    await endJobs(transaction, { which: sql`repo_id = ${repoId}`, now });
    return true;
  });
}

/**
 * From this moment the tenant is unknown to everybody; its tokens and credentials are gone at once, its jobs end, the rest
 * is removed in the background.
 *
 * @returns the tenant's id, or undefined when there is none of this name that is not being deleted already.
 */
export async function markTenant(
  database: CodeIndexDatabase,
  { name, now }: Moment & { readonly name: string },
): Promise<string | undefined> {
  const tenant = await database.query.selectFrom("codeindex.tenants").select("tenant_id").where("name", "=", name).executeTakeFirst();
  if (tenant === undefined) {
    return undefined;
  }
  const { tenant_id: tenantId } = tenant;
  return database.query.transaction().execute(async (transaction) => {
    await lockJobs(transaction, { tenantId });
    const marked = await transaction
      .updateTable("codeindex.tenants")
      .set({ deleting_at: now })
      .where("tenant_id", "=", tenantId)
      .where("deleting_at", "is", null)
      .returning("tenant_id")
      .executeTakeFirst();
    if (marked === undefined) {
      return undefined;
    }
    await transaction
      .updateTable("codeindex.repositories")
      .set({ deleting_at: now, sealed_webhook_secret: null, credential_id: null })
      .where("tenant_id", "=", tenantId)
      .execute();
    await transaction.deleteFrom("codeindex.developer_tokens").where("tenant_id", "=", tenantId).execute();
    await transaction.deleteFrom("codeindex.credentials").where("tenant_id", "=", tenantId).execute();
    await endJobs(transaction, { which: sql`tenant_id = ${tenantId}`, now });
    return tenantId;
  });
}

/** Takes branches out of the searches at once and ends their jobs; their contents are swept in the background. */
export async function removeRefs(
  transaction: Transaction<CodeIndexTables>,
  { tenantId, repoId, names, now }: OfRepository & Moment & { readonly names: readonly string[] },
): Promise<void> {
  if (names.length === 0) {
    return;
  }
  const removed = sql`array[${sql.join(names)}]::text[]`;
  await sql`
    delete from codeindex.refs where repo_id = ${repoId} and tenant_id = ${tenantId} and name = any(${removed}) and not is_default
  `.execute(transaction);
  await endJobs(transaction, { which: sql`repo_id = ${repoId} and tenant_id = ${tenantId} and ref = any(${removed})`, now });
  await transaction.updateTable("codeindex.tenants").set({ sweep_at: now }).where("tenant_id", "=", tenantId).execute();
}

export type MarkedTenant = { readonly tenantId: string; readonly name: string; readonly role: string | null };
export type MarkedRepository = { readonly repoId: string; readonly tenantId: string };

/** Asks in one short statement whether there is anything to delete or to sweep. */
export async function isAnythingMarked(database: CodeIndexDatabase): Promise<boolean> {
  const { rows } = await sql`
    select where exists (select from codeindex.tenants where deleting_at is not null or sweep_at is not null)
      or exists (select from codeindex.repositories where deleting_at is not null)
  `.execute(database.query);
  return rows.length > 0;
}

export async function markedTenants(database: CodeIndexDatabase): Promise<readonly MarkedTenant[]> {
  return database.query
    .selectFrom("codeindex.tenants")
    .select(["tenant_id as tenantId", "name", "database_role as role"])
    .where("deleting_at", "is not", null)
    .orderBy("deleting_at")
    .execute();
}

/** Lists marked repositories whose tenants are not deleted themselves, of all tenants in turn, so that one with thousands holds up no other. */
export async function markedRepositories(database: CodeIndexDatabase): Promise<readonly MarkedRepository[]> {
  const { rows } = await sql<MarkedRepository>`
    select repository.id as "repoId", repository.tenant_id as "tenantId"
    from codeindex.repositories as repository join codeindex.tenants as tenant using (tenant_id)
    where repository.deleting_at is not null and tenant.deleting_at is null
    order by row_number() over (partition by repository.tenant_id order by repository.deleting_at), repository.deleting_at
  `.execute(database.query);
  return rows;
}

/** Tenants some of whose contents wait to be swept, with the moment that was asked for last. */
export async function tenantsToSweep(
  database: CodeIndexDatabase,
): Promise<readonly { readonly tenantId: string; readonly sweepAt: Date }[]> {
  const rows = await database.query
    .selectFrom("codeindex.tenants")
    .select(["tenant_id", "sweep_at"])
    .where("sweep_at", "is not", null)
    .where("deleting_at", "is", null)
    .execute();
  return rows.flatMap(({ tenant_id: tenantId, sweep_at: sweepAt }) => (sweepAt === null ? [] : [{ tenantId, sweepAt }]));
}

/** Deletes branches that a job brought back which ended just while they were taken away; false while one may still do so. */
export async function deleteStrayRefs(database: CodeIndexDatabase, { tenantId }: { readonly tenantId: string }): Promise<boolean> {
  const { rows } = await sql`
    select from codeindex.index_jobs where tenant_id = ${tenantId} and status = 'running' and cancel_requested limit 1
  `.execute(database.query);
  if (rows.length > 0) {
    return false;
  }
  await sql`
    delete from codeindex.refs as ref using codeindex.repositories as repository
    where ref.tenant_id = ${tenantId} and repository.id = ref.repo_id and not ref.is_default and ref.name <> all(repository.branches)
  `.execute(database.query);
  return true;
}

/** Unless more was left to sweep meanwhile. */
export async function noteSwept(
  database: CodeIndexDatabase,
  { tenantId, sweepAt }: { readonly tenantId: string; readonly sweepAt: Date },
): Promise<void> {
  await database.query
    .updateTable("codeindex.tenants")
    .set({ sweep_at: null })
    .where("tenant_id", "=", tenantId)
    .where("sweep_at", "<=", new Date(sweepAt.getTime() + 1))
    .execute();
}

/** Ends the jobs of what is marked; true while a worker still writes, which stops within seconds, or is silent for a minute. */
export async function stopJobs(
  database: CodeIndexDatabase,
  marked: { readonly tenantId: string; readonly repoId?: string },
  now: Date,
): Promise<boolean> {
  const which = marked.repoId === undefined ? sql`tenant_id = ${marked.tenantId}` : sql`repo_id = ${marked.repoId}`;
  await database.query.transaction().execute((transaction) => endJobs(transaction, { which, now }));
  const { rows } = await sql`select from codeindex.index_jobs where (${which}) and status = 'running' limit 1`.execute(database.query);
  return rows.length > 0;
}

/** After this no build of the repository is in use, and the tenant's sweep takes them. */
export async function deleteRefs(database: CodeIndexDatabase, { repoId }: MarkedRepository): Promise<void> {
  await database.query.deleteFrom("codeindex.refs").where("repo_id", "=", repoId).execute();
}

const BATCH = 1_000;
/** Tables of which a repository or tenant may have any number of rows; the others go with it by their foreign keys. */
const LONG_TABLES = ["index_jobs", "webhook_deliveries"] as const;

/** Deletes the service's rows of a marked repository, itself last. */
export async function deleteRepositoryRows(database: CodeIndexDatabase, { repoId }: MarkedRepository, signal: AbortSignal): Promise<void> {
  await deleteLongTables(database, sql`repo_id = ${repoId}`, signal);
  await database.query.deleteFrom("codeindex.repositories").where("id", "=", repoId).where("deleting_at", "is not", null).execute();
}

/** Deletes the service's rows of a marked tenant, itself last, so that whoever goes on after a crash still finds it. */
export async function deleteTenantRows(database: CodeIndexDatabase, { tenantId }: MarkedTenant, signal: AbortSignal): Promise<void> {
  await deleteLongTables(database, sql`tenant_id = ${tenantId}`, signal);
  await database.query.deleteFrom("codeindex.tenants").where("tenant_id", "=", tenantId).where("deleting_at", "is not", null).execute();
}

async function deleteLongTables(database: CodeIndexDatabase, which: RawBuilder<unknown>, signal: AbortSignal): Promise<void> {
  for (const table of LONG_TABLES) {
    const name = sql.id("codeindex", table);
    for (;;) {
      signal.throwIfAborted();
      const { numAffectedRows } = await sql`
        delete from ${name} where ctid = any(array(select ctid from ${name} where ${which} limit ${BATCH}))
      `.execute(database.query);
      if ((numAffectedRows ?? 0n) < BATCH) {
        break;
      }
    }
  }
}

import { foldCase } from "@sightline/foundation/database/fold-case";
import { refusal } from "@sightline/foundation/errors";
import { sql, type Kysely, type Selectable, type Transaction } from "kysely";
import { v7 as newId } from "uuid";
import type { CodeIndexTables, RepositoriesTable } from "#schema.ts";
import type { RepositoryRow } from "./read-repositories.store.ts";
import { lockJobs } from "./jobs.store.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";

type Row = Selectable<RepositoriesTable>;

/** What may be said of a repository when it is registered, and changed later. */
export type RepositorySettings = Pick<Row, "branches" | "include" | "exclude" | "credential_id" | "sealed_webhook_secret" | "clone_url">;

type Registering = Partial<Omit<RepositorySettings, "clone_url">> & {
  readonly id?: string;
  readonly tenantId: string;
  readonly fullName: string;
  readonly cloneUrl: string;
};

/**
 * Registers a repository; it is `pending` until a job has indexed it.
 *
 * @throws {AppError} `repository_exists` (409) when the tenant has one of that name, in whatever case: hosts don't tell them apart.
 */
export async function registerRepository(
  database: Pick<CodeIndexDatabase, "query">,
  { id = newId(), tenantId, fullName, cloneUrl, branches = [], include = [], exclude = [], ...settings }: Registering,
): Promise<RepositoryRow> {
  const row = await database.query
    .insertInto("codeindex.repositories")
    .values({ id, tenant_id: tenantId, full_name: fullName, clone_url: cloneUrl, branches, include, exclude, ...settings })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
  if (row !== undefined) {
    return { ...row, refs: [] };
  }
  const known = await database.query
    .selectFrom("codeindex.repositories")
    .select("full_name")
    .where("tenant_id", "=", tenantId)
    .where(foldCase(sql.ref("full_name")), "=", foldCase(fullName))
    .where("deleting_at", "is", null)
    .executeTakeFirst();
  const under = known === undefined || known.full_name === fullName ? "" : ` as ${known.full_name}; hosts don't tell capital letters apart`;
  throw refusal(409, "repository_exists", `${fullName} is registered already${under}.`);
}

type OfRepository = { readonly tenantId: string; readonly repoId: string };

export type LockedRepository = Row & {
  /** Whether anybody ever asked for an index of it: it may be registered only to look at the preview. */
  readonly wanted: boolean;
};

/** A repository that nobody else changes until the transaction ends, nor its jobs. */
export async function lockRepository(
  transaction: Transaction<CodeIndexTables>,
  { tenantId, repoId }: OfRepository,
): Promise<LockedRepository | undefined> {
  await lockJobs(transaction, { tenantId, repoId });
  return transaction
    .selectFrom("codeindex.repositories as repository")
    .selectAll("repository")
    .select(
      sql<boolean>`index_status <> 'pending' or exists (select from codeindex.index_jobs as job where job.repo_id = repository.id)`.as(
        "wanted",
      ),
    )
    .where("id", "=", repoId)
    .where("tenant_id", "=", tenantId)
    .where("deleting_at", "is", null)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

/** Has the histories of its branches looked at again, though nothing was pushed. */
export async function refreshHistories(transaction: Transaction<CodeIndexTables>, { tenantId, repoId }: OfRepository): Promise<void> {
  await sql`
    update codeindex.histories as history set commit = null from codeindex.refs as ref
    where ref.ref_id = history.ref_id and ref.repo_id = ${repoId} and ref.tenant_id = ${tenantId}
  `.execute(transaction);
}

export async function updateRepository(
  transaction: Transaction<CodeIndexTables>,
  { tenantId, repoId, ...changes }: OfRepository & Partial<RepositorySettings>,
): Promise<void> {
  if (Object.keys(changes).length > 0) {
    await transaction
      .updateTable("codeindex.repositories")
      .set(changes)
      .where("id", "=", repoId)
      .where("tenant_id", "=", tenantId)
      .execute();
  }
}

/** Those of the ids that are the tenant's repositories. */
export async function ownRepositories(
  query: Kysely<CodeIndexTables>,
  { tenantId, ids }: { readonly tenantId: string; readonly ids: readonly string[] },
): Promise<ReadonlySet<string>> {
  const rows = await query
    .selectFrom("codeindex.repositories")
    .select("id")
    .where("tenant_id", "=", tenantId)
    .where("deleting_at", "is", null)
    .where("id", "in", sql<string>`(select unnest(${ids}::uuid[]))`)
    .execute();
  return new Set(rows.map(({ id }) => id));
}

export async function hasCredential(
  query: Kysely<CodeIndexTables>,
  { tenantId, credentialId }: { readonly tenantId: string; readonly credentialId: string },
): Promise<boolean> {
  const row = await query
    .selectFrom("codeindex.credentials")
    .select("id")
    .where("tenant_id", "=", tenantId)
    .where("id", "=", credentialId)
    .executeTakeFirst();
  return row !== undefined;
}

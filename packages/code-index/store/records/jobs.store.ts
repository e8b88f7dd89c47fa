import { refusal } from "@sightline/foundation/errors";
import { sql, type RawBuilder, type Selectable, type Transaction } from "kysely";
import { v7 as newId } from "uuid";
import type { IndexJobsTable, JobMode, JobStatus, JobTrigger, CodeIndexTables } from "#schema.ts";
import { before, HEARD_OF, LEASE_MS } from "./failed-jobs.store.ts";
import { settleIndexStatus } from "./index-status.store.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";

export type JobRow = Selectable<IndexJobsTable> & { readonly full_name: string };

type Enqueueing = {
  readonly tenantId: string;
  readonly repoId: string;
  /** The branch; the default one when left out. */
  readonly ref?: string | null | undefined;
  readonly mode: JobMode;
  readonly trigger: JobTrigger;
  /** The commit whose arrival asks for it, when it is known. */
  readonly commit?: string | null | undefined;
  readonly now: Date;
};

/**
 * Asks for a branch of a repository to be indexed. A branch has at most one queued job: a request
 * that finds one folds into it (`full` wins), makes it due at once and returns it.
 *
 * @throws {AppError} `repository_not_found` (404) when the tenant has no such repository, or is deleting it.
 */
export async function enqueueJob(database: CodeIndexDatabase, request: Enqueueing): Promise<JobRow> {
  const { tenantId, repoId, ref = null, mode, trigger, commit = null, now } = request;
  const { rows } = await sql<JobRow>`
    with repository as (
      select id, tenant_id, full_name, nullif(${ref}::text, default_branch) as ref
      from codeindex.repositories where id = ${repoId} and tenant_id = ${tenantId} and deleting_at is null
    ), job as (
      insert into codeindex.index_jobs as queued
        (job_id, repo_id, tenant_id, ref, mode, trigger, requested_commit, not_before, created_at)
      select ${newId()}, id, tenant_id, ref, ${mode}, ${trigger}, ${commit}, ${now}, ${now} from repository
      on conflict (repo_id, coalesce(ref, '')) where status = 'queued' do update set
        mode = case when excluded.mode = 'full' then 'full' else queued.mode end,
        requested_commit = coalesce(excluded.requested_commit, queued.requested_commit),
        not_before = least(queued.not_before, excluded.not_before),
        attempt = 1
      returning *
    )
    select job.*, repository.full_name from job join repository on repository.id = job.repo_id
  `.execute(database.query);
  const job = rows[0];
  if (job === undefined) {
    throw refusal(404, "repository_not_found", "No such repository.");
  }
  return job;
}

type Reading = {
  readonly tenantId: string;
  /** Ids of the repositories that may be seen; all of the tenant when left out. */
  readonly repositories?: readonly string[] | undefined;
};

export async function getJob(
  database: CodeIndexDatabase,
  { jobId, ...reading }: Reading & { readonly jobId: string },
): Promise<JobRow | undefined> {
  return selectJobs(database, reading).where("job.job_id", "=", jobId).executeTakeFirst();
}

/** Jobs of any tenants, in no order: for whoever has checked before whose they are. */
export async function getJobsOfAnybody(database: CodeIndexDatabase, jobIds: readonly string[]): Promise<readonly JobRow[]> {
  return jobIds.length === 0 ? [] : fromJobs(database).where("job.job_id", "in", jobIds).execute();
}

/**
 * Ends a queued job at once, as it does one whose worker is silent, and asks the worker of another running one to stop,
 * which it does within two seconds. A job that has ended stays as it is; `undefined` when the tenant has no such job.
 */
export async function requestCancel(
  database: CodeIndexDatabase,
  { tenantId, jobId, now }: { readonly tenantId: string; readonly jobId: string; readonly now: Date },
): Promise<JobRow | undefined> {
  await database.query.transaction().execute(async (transaction) => {
    const which = sql`job_id = ${jobId} and tenant_id = ${tenantId}`;
    await settleIndexStatus(transaction, await endJobs(transaction, { which, now }));
  });
  return getJob(database, { tenantId, jobId });
}

type ListingJobs = Reading & {
  readonly repoId?: string | undefined;
  readonly status?: JobStatus | undefined;
  readonly trigger?: JobTrigger | undefined;
  /** The `job_id` of the last job already seen. */
  readonly after?: string | undefined;
  readonly limit: number;
};

/** A tenant's jobs, newest first; identifiers rise with time. */
export async function listJobs(
  database: CodeIndexDatabase,
  { repoId, status, trigger, after, limit, ...reading }: ListingJobs,
): Promise<readonly JobRow[]> {
  return selectJobs(database, reading)
    .$if(repoId !== undefined, (query) => query.where("job.repo_id", "=", repoId ?? ""))
    .$if(status !== undefined, (query) => query.where("job.status", "=", status ?? "queued"))
    .$if(trigger !== undefined, (query) => query.where("job.trigger", "=", trigger ?? "api"))
    .$if(after !== undefined, (query) => query.where("job.job_id", "<", after ?? ""))
    .orderBy("job.job_id", "desc")
    .limit(limit)
    .execute();
}

function selectJobs(database: CodeIndexDatabase, { tenantId, repositories }: Reading) {
  return fromJobs(database)
    .where("job.tenant_id", "=", tenantId)
    .$if(repositories !== undefined, (query) => query.where("job.repo_id", "in", sql<string>`(select unnest(${repositories}::uuid[]))`));
}

function fromJobs(database: CodeIndexDatabase) {
  return database.query
    .selectFrom("codeindex.index_jobs as job")
    .innerJoin("codeindex.repositories as repository", "repository.id", "job.repo_id")
    .selectAll("job")
    .select("repository.full_name")
    .where("repository.deleting_at", "is", null);
}

type Of = { readonly tenantId: string; readonly repoId?: string };

/**
 * To be called first by whoever changes a repository, or a tenant, and ends its jobs: workers take their job and then its
 * repository, and with the other order each would wait for the other.
 */
export async function lockJobs(transaction: Transaction<CodeIndexTables>, { tenantId, repoId }: Of): Promise<void> {
  const ofRepository = repoId === undefined ? sql`true` : sql`repo_id = ${repoId}`;
  await sql`
    select from codeindex.index_jobs where tenant_id = ${tenantId} and ${ofRepository} and status in ('queued', 'running')
    order by job_id for update
  `.execute(transaction);
}

/** Ends jobs that are queued or whose worker is silent, and asks the workers of the others to stop. Returns all of them. */
export async function endJobs(
  transaction: Transaction<CodeIndexTables>,
  { which, now }: { readonly which: RawBuilder<unknown>; readonly now: Date },
): Promise<readonly { readonly repo_id: string }[]> {
  const isIdle = sql`(status = 'queued' or ${HEARD_OF} < ${before(now, LEASE_MS)})`;
  const { rows } = await sql<{ repo_id: string }>`
    update codeindex.index_jobs set
      cancel_requested = true,
      status = case when ${isIdle} then 'cancelled' else status end,
      completed_at = case when ${isIdle} then ${now}::timestamptz end
    where (${which}) and status in ('queued', 'running')
    returning repo_id
  `.execute(transaction);
  return rows;
}

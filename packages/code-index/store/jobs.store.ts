import { AppError } from "@sightline/foundation/errors";
import { sql, type Selectable } from "kysely";
import { v7 as newId } from "uuid";
import type { IndexJobsTable, JobMode, JobTrigger } from "#schema.ts";
import type { CodeIndexDatabase } from "./tenant.ts";

/** A job as its row, and the name of its repository. */
export type JobRow = Selectable<IndexJobsTable> & { readonly full_name: string };

type Enqueueing = {
  readonly tenantId: string;
  readonly repoId: string;
  readonly mode: JobMode;
  readonly trigger: JobTrigger;
  readonly now: Date;
};

/**
 * Asks for a repository to be indexed. A repository has at most one queued job: a request
 * that finds one folds into it (`full` wins), makes it due at once and returns it.
 *
 * @throws {AppError} `repository_not_found` (404) when the tenant has no such repository.
 */
export async function enqueueJob(database: CodeIndexDatabase, request: Enqueueing): Promise<JobRow> {
  const { tenantId, repoId, mode, trigger, now } = request;
  const { rows } = await sql<JobRow>`
    with repository as (
      select id, tenant_id, full_name from codeindex.repositories where id = ${repoId} and tenant_id = ${tenantId}
    ), job as (
      insert into codeindex.index_jobs as queued (job_id, repo_id, tenant_id, mode, trigger, not_before, created_at)
      select ${newId()}, id, tenant_id, ${mode}, ${trigger}, ${now}, ${now} from repository
      on conflict (repo_id) where status = 'queued' do update set
        mode = case when excluded.mode = 'full' then 'full' else queued.mode end,
        not_before = least(queued.not_before, excluded.not_before),
        attempt = 1
      returning *
    )
    select job.*, repository.full_name from job join repository on repository.id = job.repo_id
  `.execute(database.query);
  const job = rows[0];
  if (job === undefined) {
    throw new AppError({ code: "repository_not_found", status: 404, message: "No such repository." });
  }
  return job;
}

export async function getJob(
  database: CodeIndexDatabase,
  { tenantId, jobId }: { readonly tenantId: string; readonly jobId: string },
): Promise<JobRow | undefined> {
  return selectJobs(database, tenantId).where("job.job_id", "=", jobId).executeTakeFirst();
}

/**
 * Ends a queued job at once and asks the worker of a running one to stop, which it does within ten seconds.
 * A job that has ended stays as it is; `undefined` when the tenant has no such job.
 */
export async function requestCancel(
  database: CodeIndexDatabase,
  { tenantId, jobId, now }: { readonly tenantId: string; readonly jobId: string; readonly now: Date },
): Promise<JobRow | undefined> {
  await sql`
    with job as (
      update codeindex.index_jobs set
        cancel_requested = true,
        status = case when status = 'queued' then 'cancelled' else status end,
        completed_at = case when status = 'queued' then ${now}::timestamptz end
      where job_id = ${jobId} and tenant_id = ${tenantId} and status in ('queued', 'running')
      returning repo_id, status
    )
    update codeindex.repositories set index_status = case when generation is null then 'pending' else 'ready' end
    from job where id = job.repo_id and job.status = 'cancelled' and index_status = 'indexing' and not exists (
      select from codeindex.index_jobs as other where other.repo_id = id and other.status = 'running'
    )
  `.execute(database.query);
  return getJob(database, { tenantId, jobId });
}

type ListingJobs = {
  readonly tenantId: string;
  readonly repoId?: string | undefined;
  /** The `job_id` of the last job already seen. */
  readonly after?: string | undefined;
  readonly limit: number;
};

/** A tenant's jobs, newest first; identifiers rise with time. */
export async function listJobs(database: CodeIndexDatabase, { tenantId, repoId, after, limit }: ListingJobs): Promise<readonly JobRow[]> {
  return selectJobs(database, tenantId)
    .$if(repoId !== undefined, (query) => query.where("job.repo_id", "=", repoId ?? ""))
    .$if(after !== undefined, (query) => query.where("job.job_id", "<", after ?? ""))
    .orderBy("job.job_id", "desc")
    .limit(limit)
    .execute();
}

function selectJobs(database: CodeIndexDatabase, tenantId: string) {
  return database.query
    .selectFrom("codeindex.index_jobs as job")
    .innerJoin("codeindex.repositories as repository", "repository.id", "job.repo_id")
    .selectAll("job")
    .select("repository.full_name")
    .where("job.tenant_id", "=", tenantId);
}

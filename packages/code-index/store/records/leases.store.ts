import { sql, type RawBuilder } from "kysely";
import type { JobMode, JobProgress, JobTrigger } from "#schema.ts";
import { settleIndexStatus } from "./index-status.store.ts";
import { failJobs } from "./failed-jobs.store.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";

/** What a worker knows of the job it runs. `jobId` and `workerId` are the fence: without the lease nothing it writes counts. */
export type Lease = { readonly jobId: string; readonly workerId: string };

export type ClaimedJob = Lease & {
  readonly repoId: string;
  readonly tenantId: string;
  readonly mode: JobMode;
  readonly trigger: JobTrigger;
  readonly attempt: number;
  /** The branch; null means the default one, whatever it is called. */
  readonly ref: string | null;
  /** The commit whose arrival asked for the job. */
  readonly requestedCommit: string | null;
  /** The branch's `pushes_received` when the job was claimed: what was fetched later holds them all. */
  readonly pushesSeen: number;
  readonly fullName: string;
  readonly cloneUrl: string;
  readonly defaultBranch: string | null;
  readonly include: readonly string[];
  readonly exclude: readonly string[];
};

type Moment = { readonly now: Date };

type Claiming = Moment & {
  readonly workerId: string;
  /** Whether only what is over soon is taken: an incremental job of a branch that is indexed. */
  readonly small?: boolean;
};

/**
 * Takes a job that is due, unless its repository has one running; `undefined` when there is none. A tenant that has a build
 * running gets a second one only when nothing else waits, since either may take an hour. Next is a tenant with the fewest
 * running jobs, of those the one that was served longest ago; full and incremental jobs of a tenant take turns, so that
 * neither a push waits for a thousand first builds nor a first build for a busy repository's pushes; then the repository
 * that was served longest ago.
 */
export async function claimJob(database: CodeIndexDatabase, claiming: Claiming): Promise<ClaimedJob | undefined> {
  for (;;) {
    try {
      return await claimNext(database, claiming);
    } catch (error) {
      // Another worker took a job of the same repository, of another branch, in the same moment.
      if (!(error instanceof Error && "constraint" in error && error.constraint === "index_jobs_one_running")) {
        throw error;
      }
    }
  }
}

/** Whether a job writes a branch's files anew, which may take long; the others are over soon. */
function isBuild(job: "due" | "active"): RawBuilder<boolean> {
  const of = (column: string) => sql.ref(`${job}.${column}`);
  return sql`(${of("mode")} = 'full' or not exists (
    select from codeindex.refs
    where repo_id = ${of("repo_id")} and generation is not null and (name = ${of("ref")} or ${of("ref")} is null and is_default)
  ))`;
}

/** The tenant is locked too: workers that claim at the same moment serve different ones, as each must see what the other took. */
async function claimNext(database: CodeIndexDatabase, { workerId, now, small = false }: Claiming): Promise<ClaimedJob | undefined> {
  const { rows } = await sql<ClaimedJob>`
    with claimed as (
      update codeindex.index_jobs as job
      set status = 'running', worker_id = ${workerId}, started_at = ${now}, heartbeat_at = ${now}, progress_at = ${now},
        progress = '{"phase": "fetch", "done": 0, "total": 0}',
        pushes_seen = coalesce((
          select pushes_received from codeindex.refs where repo_id = job.repo_id and (name = job.ref or job.ref is null and is_default)
        ), 0)
      where job_id = (
        select due.job_id
        from codeindex.index_jobs as due
        join codeindex.repositories as repository on repository.id = due.repo_id
        join codeindex.tenants as tenant on tenant.tenant_id = due.tenant_id
        left join (
          select tenant_id, count(*) as jobs, count(*) filter (where ${isBuild("active")}) as builds
          from codeindex.index_jobs as active where status = 'running' group by tenant_id
        ) as running on running.tenant_id = due.tenant_id
        where due.status = 'queued' and due.not_before <= ${now}
          and repository.deleting_at is null and tenant.deleting_at is null
          and not exists (
            select from codeindex.index_jobs as other where other.repo_id = due.repo_id and other.status = 'running'
          )
          and (not ${small}::boolean or not ${isBuild("due")})
        order by coalesce(running.builds, 0) > 0 and ${isBuild("due")}, coalesce(running.jobs, 0), tenant.served_at nulls first, due.mode is not distinct from tenant.served_mode,
          repository.served_at nulls first, due.not_before, due.job_id
        limit 1
        for no key update of due, tenant skip locked
      )
      returning *
    ), repository as (
      update codeindex.repositories set index_status = 'indexing', served_at = ${now} from claimed where id = claimed.repo_id
      returning repositories.*
    ), tenant as (
      update codeindex.tenants set served_at = ${now}, served_mode = claimed.mode from claimed
      where tenants.tenant_id = claimed.tenant_id
    )
    select claimed.job_id as "jobId", claimed.worker_id as "workerId", claimed.repo_id as "repoId", claimed.tenant_id as "tenantId",
      claimed.mode, claimed.trigger, claimed.attempt, claimed.ref, claimed.requested_commit as "requestedCommit",
      claimed.pushes_seen as "pushesSeen", repository.full_name as "fullName", repository.clone_url as "cloneUrl",
      repository.default_branch as "defaultBranch", repository.include, repository.exclude
    from claimed join repository on repository.id = claimed.repo_id
  `.execute(database.query);
  return rows[0];
}

/** `lost` when the job was taken from its worker or ended by somebody else, `cancelled` when somebody asked to stop. */
export type LeaseState = "held" | "lost" | "cancelled" | "succeeded";

/** Says that the worker lives and how far it is. */
export async function renewLease(
  database: CodeIndexDatabase,
  { jobId, workerId, now, progress }: Lease & Moment & { readonly progress: JobProgress | undefined },
): Promise<LeaseState> {
  await database.query
    .updateTable("codeindex.index_jobs")
    .set({ heartbeat_at: now, ...(progress === undefined ? {} : { progress: JSON.stringify(progress), progress_at: now }) })
    .where("job_id", "=", jobId)
    .where("worker_id", "=", workerId)
    .where("status", "=", "running")
    .execute();
  return checkLease(database, { jobId, workerId });
}

export async function checkLease(database: CodeIndexDatabase, { jobId, workerId }: Lease): Promise<LeaseState> {
  const row = await database.query
    .selectFrom("codeindex.index_jobs")
    .select(["status", "cancel_requested"])
    .where("job_id", "=", jobId)
    .where("worker_id", "=", workerId)
    .where("status", "in", ["running", "succeeded"])
    .executeTakeFirst();
  if (row === undefined) {
    return "lost";
  }
  if (row.status === "succeeded") {
    return "succeeded";
  }
  return row.cancel_requested ? "cancelled" : "held";
}

/** Puts a job back, unless a newer request waits, which takes its place, or somebody asked to stop it. */
export async function releaseJob(database: CodeIndexDatabase, { jobId, workerId, now }: Lease & Moment): Promise<void> {
  await database.query.transaction().execute(async (transaction) => {
    const { rows } = await sql<{ repo_id: string }>`
      update codeindex.index_jobs as given set
        worker_id = null, heartbeat_at = null, progress_at = null, progress = default, not_before = ${now},
        status = case when superseded or cancel_requested then 'cancelled' else 'queued' end,
        started_at = case when superseded or cancel_requested then given.started_at end,
        completed_at = case when superseded or cancel_requested then ${now}::timestamptz end,
        error_message = case when superseded then 'its indexer stopped, and a newer job does the same' end
      from (
        select job_id, exists (
          select from codeindex.index_jobs as newer
          where newer.repo_id = held.repo_id and coalesce(newer.ref, '') = coalesce(held.ref, '') and newer.status = 'queued'
        ) as superseded
        from codeindex.index_jobs as held where job_id = ${jobId}
      ) as held
      where given.job_id = held.job_id and given.worker_id = ${workerId} and given.status = 'running'
      returning given.repo_id
    `.execute(transaction);
    await settleIndexStatus(transaction, rows);
  });
}

/** Ends a job that somebody asked to stop. */
export async function cancelJob(database: CodeIndexDatabase, { jobId, workerId, now }: Lease & Moment): Promise<void> {
  await database.query.transaction().execute(async (transaction) => {
    const rows = await transaction
      .updateTable("codeindex.index_jobs")
      .set({ status: "cancelled", completed_at: now })
      .where("job_id", "=", jobId)
      .where("worker_id", "=", workerId)
      .where("status", "=", "running")
      .returning("repo_id")
      .execute();
    await settleIndexStatus(transaction, rows);
  });
}

/** Ends a job that failed; one that may go better next time is queued again, at most twice. */
export async function failJob(
  database: CodeIndexDatabase,
  { jobId, workerId, now, reason, retry }: Lease & Moment & { readonly reason: string; readonly retry: boolean },
): Promise<void> {
  await failJobs(database, { now, reason, retry, which: sql`job_id = ${jobId} and worker_id = ${workerId}` });
}

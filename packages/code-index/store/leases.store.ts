import { sql, type Transaction } from "kysely";
import { v7 as newId } from "uuid";
import type { CodeIndexTables, JobMode, JobProgress } from "#schema.ts";
import type { CodeIndexDatabase } from "./tenant.ts";

/** A worker that was silent for longer has lost its job. */
const LEASE_MS = 60_000;

/** A job that ran longer without getting on is given up. */
const STUCK_MS = 30 * 60_000;

const ATTEMPTS = 3;

/** Before the second and the third attempt. */
const BACKOFF_MS = [10_000, 60_000] as const;

/** What a worker knows of the job it runs. `jobId` and `workerId` are the fence: without the lease nothing it writes counts. */
export type Lease = { readonly jobId: string; readonly workerId: string };

export type ClaimedJob = Lease & {
  readonly repoId: string;
  readonly tenantId: string;
  readonly mode: JobMode;
  readonly attempt: number;
  readonly fullName: string;
  readonly cloneUrl: string;
  readonly indexedCommit: string | null;
  readonly embedder: string | null;
};

type Moment = { readonly now: Date };

/** Takes the job that waits longest, unless its repository has one running; `undefined` when nothing is due. */
export async function claimJob(
  database: CodeIndexDatabase,
  { workerId, now }: Moment & { readonly workerId: string },
): Promise<ClaimedJob | undefined> {
  const { rows } = await sql<ClaimedJob>`
    with claimed as (
      update codeindex.index_jobs
      set status = 'running', worker_id = ${workerId}, started_at = ${now}, heartbeat_at = ${now}, progress_at = ${now},
        progress = '{"phase": "fetch", "done": 0, "total": 0}'
      where job_id = (
        select job_id from codeindex.index_jobs as due
        where status = 'queued' and not_before <= ${now} and not exists (
          select from codeindex.index_jobs as other where other.repo_id = due.repo_id and other.status = 'running'
        )
        order by not_before, job_id
        limit 1
        for update skip locked
      )
      returning *
    ), repository as (
      update codeindex.repositories set index_status = 'indexing' from claimed where id = claimed.repo_id
      returning repositories.*
    )
    select claimed.job_id as "jobId", claimed.worker_id as "workerId", claimed.repo_id as "repoId",
      claimed.tenant_id as "tenantId", claimed.mode, claimed.attempt, repository.full_name as "fullName",
      repository.clone_url as "cloneUrl", repository.indexed_commit as "indexedCommit", repository.embedder
    from claimed join repository on repository.id = claimed.repo_id
  `.execute(database.query);
  return rows[0];
}

/** Says that the worker lives and how far it is: `lost` when the job was taken from it, `cancelled` when somebody asked to stop. */
export async function renewLease(
  database: CodeIndexDatabase,
  { jobId, workerId, now, progress }: Lease & Moment & { readonly progress: JobProgress | undefined },
): Promise<"held" | "lost" | "cancelled"> {
  const row = await database.query
    .updateTable("codeindex.index_jobs")
    .set({ heartbeat_at: now, ...(progress === undefined ? {} : { progress: JSON.stringify(progress), progress_at: now }) })
    .where("job_id", "=", jobId)
    .where("worker_id", "=", workerId)
    .where("status", "=", "running")
    .returning("cancel_requested")
    .executeTakeFirst();
  if (row === undefined) {
    return "lost";
  }
  return row.cancel_requested ? "cancelled" : "held";
}

/**
 * Puts a job back that its worker can't finish. When a newer request waits already, that one takes its place;
 * one that somebody asked to stop ends.
 */
export async function releaseJob(database: CodeIndexDatabase, { jobId, workerId, now }: Lease & Moment): Promise<void> {
  await sql`
    with job as (
      update codeindex.index_jobs as given set
        worker_id = null, heartbeat_at = null, progress_at = null, progress = default, not_before = ${now},
        status = case when superseded or cancel_requested then 'cancelled' else 'queued' end,
        started_at = case when superseded or cancel_requested then given.started_at end,
        completed_at = case when superseded or cancel_requested then ${now}::timestamptz end,
        error_message = case when superseded then 'its indexer stopped, and a newer job does the same' end
      from (
        select job_id, exists (
          select from codeindex.index_jobs as newer where newer.repo_id = held.repo_id and newer.status = 'queued'
        ) as superseded
        from codeindex.index_jobs as held where job_id = ${jobId}
      ) as held
      where given.job_id = held.job_id and given.worker_id = ${workerId} and given.status = 'running'
      returning given.repo_id, given.status, superseded
    )
    update codeindex.repositories set index_status = case when generation is null then 'pending' else 'ready' end
    from job where id = job.repo_id and job.status = 'cancelled' and not superseded
  `.execute(database.query);
}

/** Ends a job that somebody asked to stop. */
export async function cancelJob(database: CodeIndexDatabase, { jobId, workerId, now }: Lease & Moment): Promise<void> {
  await sql`
    with job as (
      update codeindex.index_jobs set status = 'cancelled', completed_at = ${now}
      where job_id = ${jobId} and worker_id = ${workerId} and status = 'running'
      returning repo_id
    )
    update codeindex.repositories set index_status = case when generation is null then 'pending' else 'ready' end
    from job where id = job.repo_id
  `.execute(database.query);
}

/** Ends a job that failed; one that may go better next time is queued again, at most twice. */
export async function failJob(
  database: CodeIndexDatabase,
  { jobId, workerId, now, reason, retry }: Lease & Moment & { readonly reason: string; readonly retry: boolean },
): Promise<void> {
  await database.query.transaction().execute(async (transaction) => {
    const failed = await fail(transaction, { now, reason })
      .where("job_id", "=", jobId)
      .where("worker_id", "=", workerId)
      .returningAll()
      .execute();
    await settleFailed(transaction, failed, { now, reason, retry });
  });
}

/** Marks the jobs whose worker was silent for a minute as failed, and queues them again. Returns how many. */
export async function failOrphans(database: CodeIndexDatabase, { now }: Moment): Promise<number> {
  const reason = "orphaned: its indexer stopped without finishing it";
  return database.query.transaction().execute(async (transaction) => {
    const failed = await fail(transaction, { now, reason })
      .where("heartbeat_at", "<", new Date(now.getTime() - LEASE_MS))
      .returningAll()
      .execute();
    await settleFailed(transaction, failed, { now, reason, retry: true });
    return failed.length;
  });
}

/** Marks the jobs as failed that run for over 30 minutes and got no further in the last 30. Returns how many. */
export async function failStuck(database: CodeIndexDatabase, { now }: Moment): Promise<number> {
  const reason = "stuck: running for over 30 minutes without progress";
  const before = new Date(now.getTime() - STUCK_MS);
  return database.query.transaction().execute(async (transaction) => {
    const failed = await fail(transaction, { now, reason })
      .where("started_at", "<", before)
      .where("progress_at", "<", before)
      .returningAll()
      .execute();
    await settleFailed(transaction, failed, { now, reason, retry: true });
    return failed.length;
  });
}

function fail(transaction: Transaction<CodeIndexTables>, { now, reason }: Moment & { readonly reason: string }) {
  return transaction
    .updateTable("codeindex.index_jobs")
    .set({ status: "failed", completed_at: now, error_message: reason })
    .where("status", "=", "running");
}

type FailedJob = {
  readonly repo_id: string;
  readonly tenant_id: string;
  readonly mode: JobMode;
  readonly attempt: number;
  readonly cancel_requested: boolean;
};

async function settleFailed(
  transaction: Transaction<CodeIndexTables>,
  jobs: readonly FailedJob[],
  { now, reason, retry }: Moment & { readonly reason: string; readonly retry: boolean },
): Promise<void> {
  for (const job of jobs) {
    if (retry && !job.cancel_requested && job.attempt < ATTEMPTS) {
      const pause = BACKOFF_MS[job.attempt - 1] ?? 0;
      await transaction
        .insertInto("codeindex.index_jobs")
        .values({
          job_id: newId(),
          repo_id: job.repo_id,
          tenant_id: job.tenant_id,
          mode: job.mode,
          trigger: "retry",
          commit: null,
          attempt: job.attempt + 1,
          not_before: new Date(now.getTime() + pause),
          created_at: now,
        })
        .onConflict((conflict) => conflict.column("repo_id").where("status", "=", "queued").doNothing())
        .execute();
    }
    // While another attempt waits the repository is still being indexed.
    await sql`
      update codeindex.repositories set last_error = ${reason}, index_status = case
        when exists (select from codeindex.index_jobs where repo_id = ${job.repo_id} and status = 'queued') then 'indexing'
        else 'failed'
      end
      where id = ${job.repo_id}
    `.execute(transaction);
  }
}

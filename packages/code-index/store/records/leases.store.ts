import { sql } from "kysely";
import type { JobProgress } from "#schema.ts";
import { settleIndexStatus } from "./index-status.store.ts";
import { failJobs } from "./failed-jobs.store.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";

/** What a worker knows of the job it runs. `jobId` and `workerId` are the fence: without the lease nothing it writes counts. */
export type Lease = { readonly jobId: string; readonly workerId: string };

type Moment = { readonly now: Date };

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

import type { EachOwner } from "@sightline/foundation/each-owner";
import { sql, type RawBuilder, type Transaction } from "kysely";
import { v7 as newId } from "uuid";
import type { CodeIndexTables, JobMode } from "#schema.ts";
import { settleIndexStatus } from "./index-status.store.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";

/** A worker that was silent for longer has lost its job or preview. */
export const LEASE_MS = 60_000;

/** A job that ran longer without getting on is given up. */
const STUCK_MS = 30 * 60_000;

const ATTEMPTS = 3;

/** Before the second and the third attempt. */
const BACKOFF_MS = [10_000, 60_000] as const;

type Moment = { readonly now: Date };

type Looking = Moment & { readonly each: EachOwner };

/** Marks the jobs whose worker was silent for a minute as failed, and queues them again. Returns how many. */
export async function failOrphans(database: CodeIndexDatabase, { now, each }: Looking): Promise<number> {
  const reason = "orphaned: its indexer stopped without finishing it";
  return failAbandoned(database, { now, each, reason, isAbandoned: sql`${HEARD_OF} < ${before(now, LEASE_MS)}` });
}

/** Marks the jobs as failed that run for over 30 minutes and got no further in the last 30. Returns how many. */
export async function failStuck(database: CodeIndexDatabase, { now, each }: Looking): Promise<number> {
  const reason = "stuck: running for over 30 minutes without progress";
  const since = before(now, STUCK_MS);
  const isAbandoned = sql`started_at < ${since} and coalesce(progress_at, started_at) < ${since}`;
  return failAbandoned(database, { now, each, reason, isAbandoned });
}

/** The last sign of life; it is also set for rows that an operator wrote by hand. */
export const HEARD_OF = sql`coalesce(heartbeat_at, started_at, created_at)`;

type Abandoned = Looking & { readonly reason: string; readonly isAbandoned: RawBuilder<unknown> };

/** Each in a transaction of its own. A job whose row is locked is just being ended or renewed by somebody who lives. */
async function failAbandoned(database: CodeIndexDatabase, { now, each, reason, isAbandoned }: Abandoned): Promise<number> {
  const { rows } = await sql<{ id: string }>`
    select job_id as id from codeindex.index_jobs where status = 'running' and ${isAbandoned} order by job_id
  `.execute(database.query);
  let failed = 0;
  await each(rows, {
    idOf: ({ id }) => id,
    work: async ({ id }) => {
      const which = sql`job_id in (
        select job_id from codeindex.index_jobs where job_id = ${id} and status = 'running' and ${isAbandoned} for update skip locked
      )`;
      failed += await failJobs(database, { now, reason, retry: true, which });
    },
  });
  return failed;
}

/** Settles jobs that an operator ended by an update of the row, and their repositories. Returns how many jobs there were. */
export async function fixEndedByHand(database: CodeIndexDatabase, { now, each }: Looking): Promise<number> {
  const { rows: repositories } = await sql<{ repo_id: string }>`
    select repo_id from codeindex.index_jobs where ${IS_ENDED_BY_HAND}
    union
    select id from codeindex.repositories as repository where index_status = 'indexing' and not exists (
      select from codeindex.index_jobs where repo_id = repository.id and status in ('queued', 'running')
    )
  `.execute(database.query);
  let ended = 0;
  await each(repositories, {
    idOf: (repository) => repository.repo_id,
    work: (repository) =>
      database.query.transaction().execute(async (transaction) => {
        const { numAffectedRows = 0n } = await sql`
          update codeindex.index_jobs set completed_at = ${now} where repo_id = ${repository.repo_id} and ${IS_ENDED_BY_HAND}
        `.execute(transaction);
        await settleIndexStatus(transaction, [repository]);
        ended += Number(numAffectedRows);
      }),
  });
  return ended;
}

const IS_ENDED_BY_HAND = sql`completed_at is null and status in ('succeeded', 'failed', 'cancelled')`;

type Failing = Moment & {
  readonly reason: string;
  /** Whether it may go better next time. */
  readonly retry: boolean;
  readonly which: RawBuilder<unknown>;
};

type FailedJob = {
  readonly repo_id: string;
  readonly tenant_id: string;
  readonly mode: JobMode;
  readonly ref: string | null;
  readonly requested_commit: string | null;
  readonly attempt: number;
  readonly cancel_requested: boolean;
};

/** Ends running jobs as failed, queues those again that may go better, and says so of their repositories. Returns how many. */
export async function failJobs(database: CodeIndexDatabase, { now, reason, retry, which }: Failing): Promise<number> {
  return database.query.transaction().execute(async (transaction) => {
    const { rows } = await sql<FailedJob>`
      update codeindex.index_jobs set status = 'failed', completed_at = ${now}, error_message = ${reason}
      where status = 'running' and ${which}
      returning *
    `.execute(transaction);
    for (const job of rows) {
      if (retry && !job.cancel_requested && job.attempt < ATTEMPTS) {
        await queueAgain(transaction, job, now);
      }
    }
    await settleIndexStatus(transaction, rows);
    return rows.length;
  });
}

async function queueAgain(transaction: Transaction<CodeIndexTables>, job: FailedJob, now: Date): Promise<void> {
  await transaction
    .insertInto("codeindex.index_jobs")
    .values({
      job_id: newId(),
      repo_id: job.repo_id,
      tenant_id: job.tenant_id,
      mode: job.mode,
      trigger: "retry",
      ref: job.ref,
      requested_commit: job.requested_commit,
      attempt: job.attempt + 1,
      not_before: new Date(now.getTime() + (BACKOFF_MS[job.attempt - 1] ?? 0)),
      created_at: now,
    })
    // A newer request waits already.
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export function before(now: Date, milliseconds: number): Date {
  return new Date(now.getTime() - milliseconds);
}

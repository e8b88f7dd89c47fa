import { sql } from "kysely";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";

/** The queue of all tenants at one moment. */
export type QueueState = {
  readonly queued: number;
  readonly running: number;
  /** Seconds that the longest-waiting due job has waited; 0 when none is due. */
  readonly oldest_queued_seconds: number;
  /** Jobs that ended in the last hour. */
  readonly succeeded: number;
  readonly failed: number;
  readonly cancelled: number;
  /** Seconds from the start to the end of those that succeeded; null when none did. */
  readonly median_seconds: number | null;
  readonly p95_seconds: number | null;
};

export async function readQueue(database: CodeIndexDatabase, { now }: { readonly now: Date }): Promise<QueueState> {
  const hourAgo = new Date(now.getTime() - 3_600_000);
  const seconds = sql`extract(epoch from completed_at - started_at)::float8`;
  const { rows } = await sql<QueueState>`
    select open.*, ended.* from (
      select
        count(*) filter (where status = 'queued') as queued,
        count(*) filter (where status = 'running') as running,
        greatest(coalesce(extract(epoch from ${now}::timestamptz - min(not_before) filter (where status = 'queued')), 0), 0)::float8
          as oldest_queued_seconds
      from codeindex.index_jobs where completed_at is null
    ) as open, (
      select
        count(*) filter (where status = 'succeeded') as succeeded,
        count(*) filter (where status = 'failed') as failed,
        count(*) filter (where status = 'cancelled') as cancelled,
        percentile_cont(0.5) within group (order by ${seconds}) filter (where status = 'succeeded') as median_seconds,
        percentile_cont(0.95) within group (order by ${seconds}) filter (where status = 'succeeded') as p95_seconds
      from codeindex.index_jobs where completed_at > ${hourAgo}
    ) as ended
  `.execute(database.query);
  const [state] = rows;
  if (state === undefined) {
    throw new Error("The database said nothing of the queue.");
  }
  return state;
}

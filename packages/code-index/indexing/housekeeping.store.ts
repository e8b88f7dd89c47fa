import { sql } from "kysely";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";

/** How long an ended job is remembered, and how many of a branch are however old they are. */
const KEPT_MS = 90 * 24 * 3_600_000;
const KEPT_JOBS = 20;

const BATCH = 1_000;

/** Forgets a batch of the jobs that ended over 90 days ago, the latest twenty of each branch apart; `true` when there may be more. */
export async function deleteOldJobs(database: CodeIndexDatabase, { now }: { readonly now: Date }): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from codeindex.index_jobs where job_id in (
      select old.job_id from codeindex.index_jobs as old
      where old.completed_at < ${new Date(now.getTime() - KEPT_MS)} and old.status in ('succeeded', 'failed', 'cancelled') and old.job_id < (
        select newer.job_id from codeindex.index_jobs as newer
        where newer.repo_id = old.repo_id and coalesce(newer.ref, '') = coalesce(old.ref, '')
        order by newer.job_id desc
        offset ${KEPT_JOBS - 1} limit 1
      )
      limit ${BATCH}
    )
  `.execute(database.query);
  return (numAffectedRows ?? 0n) === BigInt(BATCH);
}

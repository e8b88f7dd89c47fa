import { lockKey } from "@sightline/foundation/database/advisory-lock";
import { sql, type Transaction } from "kysely";
import type { ObservabilitySchema } from "#schema.ts";

/*
 * The states of an issue, and who changes them:
 *
 *   open ──(a person)──▶ ignored ──(its time is over, or a person)──▶ open
 *   open, ignored ──(a person, now or at a commit)──▶ closed ──(a person)──▶ open
 *   closed ──(a trace that shows it)──▶ open
 *
 * A trace opens a closed issue when it started after the closing, and ran the commit that it was closed at, or a version on which no trace had shown the
 * issue before the closing; or says no version. Old releases that still run keep it closed. A trace's version is its commit, or the release where no
 * commit is known. Which traces those are follows from the rows alone, so that it does not matter in which order they come, nor how often.
 *
 * What is over by time is `open` to whoever reads it and is not written. An issue that has no trace any more is gone, with what was decided of it and what was merged into it.
 */

/** Whose traces, and what follows from them, one process at a time changes, until its transaction ends. Asked of the project's rows, so that on a cluster the lock is that of the node that has them. */
export async function lockIssues(transaction: Transaction<ObservabilitySchema>, projectId: string): Promise<void> {
  await sql`
    select pg_advisory_xact_lock(${lockKey("observability.issues", projectId)})
    from (select count(*) from observability.repricings where project_id = ${projectId}::uuid) as there`.execute(transaction);
}

/**
 * Brings what an issue says of its traces, and its state, up to the traces that it has now.
 *
 * @returns the issues that a trace opened.
 */
export async function settleIssues(
  transaction: Transaction<ObservabilitySchema>,
  projectId: string,
  ids: readonly string[],
): Promise<readonly string[]> {
  if (ids.length === 0) {
    return [];
  }
  const isOfIssue = (trace: string) =>
    sql`${sql.ref(`${trace}.project_id`)} = ${projectId}::uuid and ${sql.ref(`${trace}.issue_id`)} = issue.id`;
  await sql`
    update observability.issues as issue set traces = counted.traces, users = counted.users, first_seen = counted.first_seen, last_seen = counted.last_seen
    from (
      -- Grouped by user first: counting them apart would sort all traces.
      select issue_id, sum(traces) as traces, count(user_id) as users, min(first_seen) as first_seen, max(last_seen) as last_seen
      from (
        select issue_id, user_id, count(*) as traces, min(seen_at) as first_seen, max(seen_at) as last_seen from observability.issue_traces
        where project_id = ${projectId}::uuid and issue_id = any(${ids}::uuid[]) group by issue_id, user_id
      ) as of_user group by issue_id
    ) as counted
    where issue.project_id = ${projectId}::uuid and issue.id = counted.issue_id`.execute(transaction);
  const { rows: reopened } = await sql<{ id: string }>`
    update observability.issues as issue set state = 'open', reopened_at = now()
    where issue.project_id = ${projectId}::uuid and issue.id = any(${ids}::uuid[]) and issue.state = 'closed' and exists (
      select from (
        select distinct version from observability.issue_traces as trace where ${isOfIssue("trace")} and trace.seen_at > issue.closed_at
      ) as later
      where later.version is null or later.version = issue.closed_at_commit or not exists (
        select from observability.issue_traces as earlier
        where ${isOfIssue("earlier")} and earlier.version = later.version and earlier.seen_at <= issue.closed_at
      )
    ) returning issue.id`.execute(transaction);
  await sql`
    delete from observability.issues as issue
    where issue.project_id = ${projectId}::uuid and coalesce(issue.merged_into, issue.id) in (
      select id from unnest(${ids}::uuid[]) as settled (id) where not exists (
        select from observability.issue_traces where project_id = ${projectId}::uuid and issue_id = settled.id
      )
    )`.execute(transaction);
  return reopened.map(({ id }) => id);
}

/** Takes traces that are deleted in this transaction, which has locked them, from their issues. */
export async function forgetTraces(
  transaction: Transaction<ObservabilitySchema>,
  projectId: string,
  ids: readonly string[],
): Promise<void> {
  await lockIssues(transaction, projectId);
  const { rows } = await sql<{ issue_id: string }>`
    delete from observability.issue_traces where project_id = ${projectId}::uuid and trace_id = any(${ids}::uuid[])
    returning issue_id`.execute(transaction);
  await settleIssues(transaction, projectId, [...new Set(rows.map((row) => row.issue_id))]);
}

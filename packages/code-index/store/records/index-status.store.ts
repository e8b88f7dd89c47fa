import { sql, type Transaction } from "kysely";
import type { CodeIndexTables } from "#schema.ts";

/**
 * The one place that says what state a repository's index is in, from its jobs and branches: `indexing` while a job or
 * another attempt of one is due, or while chunks of it wait for a vector; `failed` when the latest job of a
 * branch failed, with that job's reason; `ready` when something is searchable; else `pending`.
 *
 * Call it in the transaction that ended a job, with the rows of those that ended, after everything else.
 */
export async function settleIndexStatus(
  transaction: Transaction<CodeIndexTables>,
  rows: readonly { readonly repo_id: string }[],
): Promise<void> {
  const repoIds = rows.map((row) => row.repo_id);
  if (repoIds.length === 0) {
    return;
  }
  // Whoever claims or ends a job of the same repository waits here, and the statement below sees what they did.
  await lockRepositories(transaction, repoIds);
  await sql`
    update codeindex.repositories as repository set index_status = found.status, last_error = found.error
    from (
      select given.id, failed.error, case
        when exists (
          select from codeindex.index_jobs where repo_id = given.id and (status = 'running' or status = 'queued' and attempt > 1)
        ) then 'indexing'
        when failed.error is not null then 'failed'
        when coalesce(refs.waiting, false) then 'indexing'
        when coalesce(refs.searchable, false) then 'ready'
        else 'pending'
      end as status
      from codeindex.repositories as given
      left join lateral (
        select
          bool_or(generation is not null) as searchable,
          bool_or(generation is not null and vectors_pending > 0) as waiting
        from codeindex.refs where repo_id = given.id
      ) as refs on true
      left join lateral (
        select case when branch = '' then '' else branch || ': ' end || coalesce(latest.error_message, 'failed') as error
        from unnest(array[''] || array_remove(given.branches, given.default_branch)) with ordinality as indexed(branch, position)
        cross join lateral (
          select status, error_message from codeindex.index_jobs
          where repo_id = given.id and coalesce(ref, '') = branch and status in ('succeeded', 'failed')
          order by completed_at desc
          limit 1
        ) as latest
        where latest.status = 'failed'
        order by position
        limit 1
      ) as failed on true
      where given.id = any(${repoIds}::uuid[])
    ) as found
    where repository.id = found.id and (repository.index_status, repository.last_error) is distinct from (found.status, found.error)
  `.execute(transaction);
}

/** To be called after a job's row is locked and before those of branches are: in any other order two that do both wait for each other. */
export async function lockRepositories(transaction: Transaction<CodeIndexTables>, repoIds: readonly string[]): Promise<void> {
  await sql`
    select from codeindex.repositories where id = any(${repoIds}::uuid[]) order by id for no key update
  `.execute(transaction);
}

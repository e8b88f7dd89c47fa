import { foldCase } from "@sightline/foundation/database/fold-case";
import { sql } from "kysely";
import type { Access } from "#store/tenancy/read-scope.store.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";

type Awaited = Access & {
  readonly repo: string;
  /** The default one when left out. */
  readonly ref?: string | undefined;
  /** A commit id or its first characters. */
  readonly commit: string;
};

/** `unknown`: there is no such repository, or the caller may not see it. */
export type Reached = "reached" | "not yet" | "unknown";

/**
 * Whether a branch's index holds a commit: it is of the commit itself, or was before it became one of a newer commit, or
 * the push that brought the commit was seen by a job that succeeded.
 */
export async function reachedCommit(database: CodeIndexDatabase, { tenant, repositories, repo, ref, commit }: Awaited): Promise<Reached> {
  const begins = `${commit.toLowerCase()}%`;
  const byRight = repositories === undefined ? sql`true` : sql`repository.id = any(${repositories}::uuid[])`;
  const { rows } = await sql<{ reached: boolean }>`
    select coalesce(bool_or(branch.generation is not null and (branch.indexed_commit like ${begins} or exists (
      select from codeindex.index_jobs as job
      where job.repo_id = repository.id and job.status = 'succeeded'
        and coalesce(job.ref, repository.default_branch, branch.name) = branch.name
        and (job.commit like ${begins} or job.requested_commit like ${begins} or exists (
          select from codeindex.webhook_deliveries as delivery, jsonb_array_elements(delivery.push -> 'changes') as change
          where delivery.repo_id = repository.id and delivery.received_at < job.started_at
            and change ->> 'branch' = branch.name and change ->> 'after' like ${begins}
        ))
    ))), false) as reached
    from codeindex.repositories as repository
    left join codeindex.refs as branch on branch.repo_id = repository.id
      and ${ref === undefined ? sql`branch.is_default` : sql`branch.name = ${ref}`}
    where repository.tenant_id = ${tenant.tenantId} and repository.deleting_at is null
      and ${foldCase(sql.ref("repository.full_name"))} = ${foldCase(repo)} and ${byRight}
    group by repository.id
  `.execute(database.query);
  const [found] = rows;
  return found === undefined ? "unknown" : found.reached ? "reached" : "not yet";
}

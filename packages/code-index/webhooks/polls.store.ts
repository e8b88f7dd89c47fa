import { sql } from "kysely";
import { watchedColumns, type WatchedRepository } from "./pushes.store.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";

export type PolledRepository = WatchedRepository & {
  /** As in its address; empty for one on this machine. */
  readonly host: string;
  readonly last_error: string | null;
};

type Claiming = {
  readonly now: Date;
  readonly everyMs: number;
  /** Hosts that did not answer lately. */
  readonly withoutHosts: readonly string[];
};

/**
 * Takes the repository that was looked at longest ago, one that never was first; `undefined` when none is due. Many processes
 * may do so. What is due is spread by up to a fifth of the period, so that a thousand repositories are not asked for at once.
 */
export async function claimPoll(
  database: CodeIndexDatabase,
  { now, everyMs, withoutHosts }: Claiming,
): Promise<PolledRepository | undefined> {
  const { rows } = await sql<PolledRepository>`
    update codeindex.repositories as repository set polled_at = ${now}
    where repository.id = (
      select due.id from codeindex.repositories as due join codeindex.tenants as tenant using (tenant_id)
      where due.deleting_at is null and tenant.deleting_at is null
        and (due.polled_at is null
          or due.polled_at <= ${now}::timestamptz - ${everyMs} * (0.8 + (abs(hashtext(due.id::text)) % 1000) / 5000.0) * interval '1 millisecond')
        and split_part(due.address, '/', 1) <> all(${withoutHosts}::text[])
        and (due.index_status <> 'pending' or exists (select from codeindex.index_jobs as job where job.repo_id = due.id))
      order by due.polled_at nulls first
      limit 1
      for update of due skip locked
    )
    returning ${watchedColumns}, split_part(repository.address, '/', 1) as host, repository.last_error
  `.execute(database.query);
  return rows[0];
}

/** A branch that is indexed, or that a job was asked for. */
export type PolledBranch = {
  readonly name: string;
  readonly is_default: boolean;
  readonly indexed_commit: string | null;
  readonly behind: number;
};

/** The last job of a branch. */
export type LastJob = {
  /** Null: the default one. */
  readonly ref: string | null;
  /** Queued or running. */
  readonly active: boolean;
  /** How it ended, unless well. */
  readonly ended: "failed" | "cancelled" | null;
  readonly commit: string | null;
  readonly completed_at: Date | null;
};

export async function readPolled(
  database: CodeIndexDatabase,
  repository: Pick<PolledRepository, "id">,
): Promise<{ readonly branches: readonly PolledBranch[]; readonly jobs: readonly LastJob[] }> {
  const branches = await database.query
    .selectFrom("codeindex.refs")
    .select(["name", "is_default", "indexed_commit", sql<number>`pushes_received - pushes_indexed`.as("behind")])
    .where("repo_id", "=", repository.id)
    .execute();
  const { rows: jobs } = await sql<LastJob>`
    select distinct on (coalesce(ref, '')) ref, status in ('queued', 'running') as active, case when status in ('failed', 'cancelled') then status end as ended,
      coalesce(commit, requested_commit) as commit, completed_at
    from codeindex.index_jobs where repo_id = ${repository.id}
    order by coalesce(ref, ''), status in ('queued', 'running') desc, job_id desc
  `.execute(database.query);
  return { branches, jobs };
}

type Noting = {
  readonly repository: Pick<PolledRepository, "id" | "tenant_id">;
  /** `undefined` when the host answered. */
  readonly problem: string | undefined;
  /** What a poll's problem begins with. */
  readonly prefix: string;
};

/** Shows that the host could not be asked, and takes it away once it could; never what a job said. */
export async function notePoll(database: CodeIndexDatabase, { repository, problem, prefix }: Noting): Promise<void> {
  await sql`
    update codeindex.repositories set last_error = ${problem ?? null}
    where id = ${repository.id} and tenant_id = ${repository.tenant_id}
      and (last_error is null or starts_with(last_error, ${prefix})) and last_error is distinct from ${problem ?? null}
  `.execute(database.query);
}

type Settling = { readonly repository: Pick<PolledRepository, "id">; readonly branch: string; readonly commit: string };

/** Nothing is behind when what is indexed is the branch's newest commit and no job of it is due. */
export async function settleBehind(database: CodeIndexDatabase, { repository, branch, commit }: Settling): Promise<void> {
  await sql`
    update codeindex.refs as ref set pushes_indexed = pushes_received
    where repo_id = ${repository.id} and name = ${branch} and indexed_commit = ${commit} and pushes_indexed < pushes_received
      and not exists (
        select from codeindex.index_jobs as job where job.repo_id = ref.repo_id and job.status in ('queued', 'running')
      )
  `.execute(database.query);
}

import { sql, type RawBuilder } from "kysely";
import type { JobMode, JobTrigger } from "#schema.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";
import type { Lease } from "./leases.store.ts";

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

type Claiming = {
  readonly now: Date;
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

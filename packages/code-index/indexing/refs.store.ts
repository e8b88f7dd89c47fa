import { sql } from "kysely";
import { lockRepositories, settleIndexStatus } from "#store/records/index-status.store.ts";
import type { Lease } from "#store/records/leases.store.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";

type Branch = { readonly tenantId: string; readonly repoId: string; readonly ref: string };

/** What searches see of a branch; `undefined` before it was indexed. */
export async function findLive(
  database: CodeIndexDatabase,
  { tenantId, repoId, ref }: Branch,
): Promise<{ readonly generation: number; readonly commit: string | null } | undefined> {
  const row = await database.query
    .selectFrom("codeindex.refs")
    .select(["generation", "indexed_commit"])
    .where("tenant_id", "=", tenantId)
    .where("repo_id", "=", repoId)
    .where("name", "=", ref)
    .executeTakeFirst();
  return row === undefined || row.generation === null ? undefined : { generation: row.generation, commit: row.indexed_commit };
}

type Dropping = { readonly lease: Lease; readonly repoId: string; readonly ref: string; readonly now: Date };

/**
 * Takes a branch out of the searches that does not exist any more, and ends the job that found it so; a sweep deletes what it held.
 * Returns false, and does nothing, for a branch that never was there, and for the default one.
 */
export async function dropBranch(database: CodeIndexDatabase, { lease, repoId, ref, now }: Dropping): Promise<boolean> {
  return database.query.transaction().execute(async (transaction) => {
    await sql`select from codeindex.index_jobs where job_id = ${lease.jobId} for update`.execute(transaction);
    await lockRepositories(transaction, [repoId]);
    const { rows } = await sql<{ repo_id: string }>`
      with dropped as (
        delete from codeindex.refs using codeindex.index_jobs as job
        where refs.repo_id = ${repoId} and refs.name = ${ref} and not refs.is_default
          and job.job_id = ${lease.jobId} and job.worker_id = ${lease.workerId} and job.status = 'running' and job.repo_id = refs.repo_id
        returning refs.ref_id
      )
      update codeindex.index_jobs set status = 'succeeded', completed_at = ${now}, progress = '{"phase": "done", "done": 0, "total": 0}'
      from dropped where job_id = ${lease.jobId}
      returning repo_id
    `.execute(transaction);
    await settleIndexStatus(transaction, rows);
    return rows.length > 0;
  });
}

/** Every repository of every tenant by its id, with the branches that are indexed or wait for it. */
export async function listIndexedBranches(database: CodeIndexDatabase): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = await database.query
    .selectFrom("codeindex.repositories as repository")
    .leftJoin("codeindex.refs as ref", "ref.repo_id", "repository.id")
    .select(["repository.id", "repository.default_branch", "repository.branches", "ref.name"])
    .execute();
  const branches = new Map<string, Set<string>>();
  for (const { id, name, default_branch: main, branches: wanted } of rows) {
    const known = branches.get(id) ?? new Set([...wanted, ...(main === null ? [] : [main])]);
    if (name !== null) {
      known.add(name);
    }
    branches.set(id, known);
  }
  return new Map([...branches].map(([id, names]) => [id, [...names]]));
}

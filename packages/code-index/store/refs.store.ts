import { sql } from "kysely";
import type { Lease } from "./leases.store.ts";
import type { CodeIndexDatabase } from "./tenant.ts";

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

/** Takes the index of a branch that exists no more from the searches; that of a default branch stays until another one has its place. */
export async function loseBranch(
  database: CodeIndexDatabase,
  { tenantId, repoId, ref, lease }: Branch & { readonly lease: Lease },
): Promise<void> {
  await sql`
    delete from codeindex.refs using codeindex.index_jobs as job
    where refs.tenant_id = ${tenantId} and refs.repo_id = ${repoId} and refs.name = ${ref} and not refs.is_default
      and job.job_id = ${lease.jobId} and job.worker_id = ${lease.workerId} and job.status = 'running'
  `.execute(database.query);
}

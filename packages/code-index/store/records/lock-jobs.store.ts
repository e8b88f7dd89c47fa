import { sql, type Transaction } from "kysely";
import type { CodeIndexTables } from "#schema.ts";

type Of = { readonly tenantId: string; readonly repoId?: string };

/**
 * To be called first by whoever changes a repository, or a tenant, and ends its jobs: workers take their job and then its
 * repository, and with the other order each would wait for the other.
 */
export async function lockJobs(transaction: Transaction<CodeIndexTables>, { tenantId, repoId }: Of): Promise<void> {
  const ofRepository = repoId === undefined ? sql`true` : sql`repo_id = ${repoId}`;
  await sql`
    select from codeindex.index_jobs where tenant_id = ${tenantId} and ${ofRepository} and status in ('queued', 'running')
    order by job_id for update
  `.execute(transaction);
}

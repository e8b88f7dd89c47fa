import { sql } from "kysely";
import type { CodeIndexDatabase, Tenant } from "#store/tenancy/tenant.ts";

type OfBranch = { readonly repo_id: string; readonly ref: string };

/** The rows of a tenant's tables whose branches are not indexed any more. */
export async function ofGoneBranches<Row extends OfBranch>(
  database: CodeIndexDatabase,
  { tenantId }: Pick<Tenant, "tenantId">,
  rows: readonly Row[],
): Promise<readonly Row[]> {
  if (rows.length === 0) {
    return [];
  }
  const branches = rows.map(({ repo_id, ref }) => ({ repo_id, ref }));
  const { rows: gone } = await sql<{ position: number }>`
    select given.position::integer from rows from (
      json_to_recordset(${JSON.stringify(branches)}::json) as (repo_id uuid, ref text)
    ) with ordinality as given(repo_id, ref, position)
    where not exists (
      select from codeindex.refs as ref where ref.repo_id = given.repo_id and ref.name = given.ref and ref.tenant_id = ${tenantId}
    )
  `.execute(database.query);
  return gone.flatMap(({ position }) => rows.slice(position - 1, position));
}

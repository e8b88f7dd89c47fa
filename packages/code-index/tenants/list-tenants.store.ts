import { sql } from "kysely";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";

export type ListedTenant = {
  readonly tenantId: string;
  readonly name: string;
  readonly deletingAt: Date | null;
  /** Whether the database itself keeps it apart from the others. */
  readonly hasRole: boolean;
  /** Those being deleted are not counted. */
  readonly repositories: number;
  readonly chunks: number;
};

/** Every tenant by name, for the host's command line. */
export async function listTenants(database: CodeIndexDatabase): Promise<readonly ListedTenant[]> {
  const { rows } = await sql<ListedTenant>`
    select tenant.tenant_id as "tenantId", tenant.name, tenant.deleting_at as "deletingAt", tenant.database_role is not null as "hasRole",
      (select count(*) from codeindex.repositories where tenant_id = tenant.tenant_id and deleting_at is null) as repositories,
      (select coalesce(sum(chunks), 0)::bigint from codeindex.refs where tenant_id = tenant.tenant_id) as chunks
    from codeindex.tenants as tenant
    order by tenant.name
  `.execute(database.query);
  return rows;
}

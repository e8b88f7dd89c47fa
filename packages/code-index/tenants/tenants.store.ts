import { sql } from "kysely";
import { type CodeIndexDatabase, tenantSchema } from "#store/tenancy/tenant.ts";
import type { Logger } from "@sightline/foundation/log";
import type { MarkedTenant } from "#store/records/deletions.store.ts";
import { dropTenantRole } from "#store/tenancy/tenant-role.store.ts";

type ListedTenant = {
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

/** A search that still runs there is waited for so long; the next round tries again. */
const WAIT = "5s";

/** Removes a marked tenant's schema with all that is in it, and its database role. Safe to repeat. */
export async function dropTenant(database: CodeIndexDatabase, { name, role }: MarkedTenant, log: Logger): Promise<void> {
  await database.query.transaction().execute(async (transaction) => {
    await sql`select set_config('lock_timeout', ${WAIT}, true)`.execute(transaction);
    await sql`drop schema if exists ${sql.id(tenantSchema(name))} cascade`.execute(transaction);
    if (role !== null) {
      await dropTenantRole(transaction, role, log);
    }
  });
}

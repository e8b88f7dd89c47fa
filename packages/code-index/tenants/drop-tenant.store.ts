import type { Logger } from "@sightline/foundation/log";
import { sql } from "kysely";
import type { MarkedTenant } from "#store/records/deletions.store.ts";
import { dropTenantRole } from "#store/tenancy/tenant-role.store.ts";
import { schemaOf, type CodeIndexDatabase } from "#store/tenancy/tenant.ts";

/** A search that still runs there is waited for so long; the next round tries again. */
const WAIT = "5s";

/** Removes a marked tenant's schema with all that is in it, and its database role. Safe to repeat. */
export async function dropTenant(database: CodeIndexDatabase, { name, role }: MarkedTenant, log: Logger): Promise<void> {
  await database.query.transaction().execute(async (transaction) => {
    await sql`select set_config('lock_timeout', ${WAIT}, true)`.execute(transaction);
    await sql`drop schema if exists ${sql.id(schemaOf(name))} cascade`.execute(transaction);
    if (role !== null) {
      await dropTenantRole(transaction, role, log);
    }
  });
}

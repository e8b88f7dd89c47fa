import { sql, type Transaction } from "kysely";
import type { CodeIndexTables } from "#schema.ts";

/**
 * Who deletes or moves contents that others may be about to use holds the tenant `alone`, who begins to use them
 * `with-others`. Both only for moments: a transaction that holds it waits for nothing but the database.
 */
export async function lockTenant(
  transaction: Transaction<CodeIndexTables>,
  { tenantId }: { readonly tenantId: string },
  how: "with-others" | "alone",
): Promise<void> {
  // Neither is in the way of foreign keys that refer to the tenant, as those of new jobs do.
  const strength = how === "alone" ? sql`for no key update` : sql`for share`;
  await sql`select from codeindex.tenants where tenant_id = ${tenantId} ${strength}`.execute(transaction);
}

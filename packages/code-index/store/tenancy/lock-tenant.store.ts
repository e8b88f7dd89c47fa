import { sql, type Transaction } from "kysely";
import type { CodeIndexTables } from "#schema.ts";

/** Any number: the first half of the keys of these locks. */
const LOCK = 741_734_093;

/**
 * Who deletes or moves contents that others may be about to use holds the tenant `alone`, who begins to use them
 * `with-others`. Until the transaction ends, so both only for moments.
 */
export async function lockTenant(
  transaction: Transaction<CodeIndexTables>,
  { tenantId }: { readonly tenantId: string },
  how: "with-others" | "alone",
): Promise<void> {
  const lock = how === "alone" ? sql`pg_advisory_xact_lock` : sql`pg_advisory_xact_lock_shared`;
  await sql`select ${lock}(${LOCK}, hashtext(${tenantId}))`.execute(transaction);
}

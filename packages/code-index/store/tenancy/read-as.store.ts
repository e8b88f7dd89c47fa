import type { Transaction } from "kysely";
import type { CodeIndexTables } from "#schema.ts";
import { withinTenant, type CodeIndexDatabase, type Tenant } from "./tenant.ts";

/**
 * The one door to a tenant's tables for whoever only reads: all that `read` does sees them as they were at one moment, as
 * the tenant's database role, and the database gives a statement up after `milliseconds`.
 */
export async function readAs<Result>(
  database: CodeIndexDatabase,
  tenant: Tenant,
  milliseconds: number,
  read: (transaction: Transaction<CodeIndexTables>) => Promise<Result>,
): Promise<Result> {
  return withinTenant(database, tenant, { milliseconds, readOnly: true }, read);
}

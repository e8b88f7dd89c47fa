import { sql, type Transaction } from "kysely";
import type { CodeIndexTables } from "#schema.ts";
import type { CodeIndexDatabase, Tenant } from "./tenant.ts";

/**
 * The one door to a tenant's tables for whoever only reads: all that `read` does sees them as they were at one moment,
 * and the database gives a statement up after `milliseconds`.
 */
export async function readAs<Result>(
  database: CodeIndexDatabase,
  _tenant: Tenant,
  milliseconds: number,
  read: (transaction: Transaction<CodeIndexTables>) => Promise<Result>,
): Promise<Result> {
  return database.query
    .transaction()
    .setIsolationLevel("repeatable read")
    .setAccessMode("read only")
    .execute(async (transaction) => {
      await sql`select set_config('statement_timeout', ${String(milliseconds)}, true)`.execute(transaction);
      return read(transaction);
    });
}

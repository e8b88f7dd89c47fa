import { CompiledQuery, type Kysely, type Transaction } from "kysely";
import type { ObservabilitySchema } from "#schema.ts";
import { upserts, type BatchRows } from "./batch-rows.ts";

/**
 * Writes a batch in one transaction, one statement per table. Writing the same rows again, or rows of the same events
 * in another order or in other batches, ends in the same tables.
 */
export async function writeBatch(query: Kysely<ObservabilitySchema>, rows: BatchRows): Promise<void> {
  await query.transaction().execute(async (transaction) => {
    for (const { name, statement } of upserts) {
      await writeRows(transaction, statement, rows[name]);
    }
  });
}

async function writeRows(transaction: Transaction<ObservabilitySchema>, statement: string, rows: readonly object[]): Promise<void> {
  if (rows.length > 0) {
    await transaction.executeQuery(CompiledQuery.raw(statement, [JSON.stringify(rows)]));
  }
}

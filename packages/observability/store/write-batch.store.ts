import { CompiledQuery, type Kysely, type Transaction } from "kysely";
import type { ObservabilitySchema } from "#schema.ts";
import { upserts, type BatchRows } from "./batch-rows.ts";
import { ensureDays } from "./days.store.ts";

/**
 * Writes a batch in one transaction, one statement per table. Writing the same rows again, or rows of the same events
 * in another order or in other batches, ends in the same tables.
 */
export async function writeBatch(query: Kysely<ObservabilitySchema>, rows: BatchRows): Promise<void> {
  try {
    await writeOnce(query, rows);
  } catch (error) {
    if (!isDayMissing(error)) {
      throw error;
    }
    // Days are made ahead, but never having made them must cost no event.
    await ensureDays(query);
    await writeOnce(query, rows);
  }
}

async function writeOnce(query: Kysely<ObservabilitySchema>, rows: BatchRows): Promise<void> {
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

/** "no partition of relation found for row" is a violated check without the name of a constraint. */
function isDayMissing(error: unknown): boolean {
  return (
    error instanceof Error && "code" in error && error.code === "23514" && (!("constraint" in error) || error.constraint === undefined)
  );
}

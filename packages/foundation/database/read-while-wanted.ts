import { sql, type Transaction } from "kysely";
import type { Database } from "./database.ts";
import { beganColumns, whileWanted, type Began } from "./while-wanted.ts";

type Visit = {
  /** What runs when it is aborted is cancelled. */
  readonly signal: AbortSignal;
  /** The database gives a statement up after so long. */
  readonly milliseconds: number;
};

/** Reads, in a transaction that sees all as it was at one moment, until `signal` is aborted. */
export async function readWhileWanted<Schema, Result>(
  database: Database<Schema>,
  { signal, milliseconds }: Visit,
  work: (transaction: Transaction<Schema>) => Promise<Result>,
): Promise<Result> {
  const transactions = database.query.transaction().setIsolationLevel("repeatable read").setAccessMode("read only");
  return transactions.execute(async (transaction) => {
    const { rows } = await sql<Began>`
      select set_config('statement_timeout', ${String(milliseconds)}, true), ${beganColumns}`.execute(transaction);
    return whileWanted(transaction, { database, signal, running: rows[0] }, work);
  });
}

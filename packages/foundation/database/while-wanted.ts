import { sql, type KyselyPlugin, type RawBuilder, type Transaction } from "kysely";
import type { Database } from "./database.ts";

/** `pid` is null where one session serves everybody, so that nothing can be cancelled from outside. */
export type Began = { readonly pid: number | null; readonly began: string };

/** Columns to read first in a transaction, by which its statements are found to be cancelled. */
export const beganColumns: RawBuilder<Began> = sql`case when strpos(version(), 'PGlite') = 0 then pg_backend_pid() end as pid, now()::text as began`;

type Wanted = {
  readonly database: Pick<Database<unknown>, "cancel">;
  readonly signal: AbortSignal;
  readonly running: Began | undefined;
};

/** Works in a transaction until `signal` is aborted: what runs then is cancelled on the server too, and nothing more begins. */
export async function whileWanted<Schema, Result>(
  transaction: Transaction<Schema>,
  { database, signal, running }: Wanted,
  work: (transaction: Transaction<Schema>) => Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted();
  let cancelling: Promise<void> | undefined;
  const cancel = () => {
    if (running !== undefined && running.pid !== null) {
      // A statement that can't be cancelled ends by its time-out.
      cancelling = database.cancel({ pid: running.pid, began: running.began }).catch(() => undefined);
    }
  };
  signal.addEventListener("abort", cancel, { once: true });
  try {
    return await work(transaction.withPlugin(refusingWhenAborted(signal)));
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener("abort", cancel);
    // Before another has this connection.
    await cancelling;
  }
}

/** Between two statements. */
function refusingWhenAborted(signal: AbortSignal): KyselyPlugin {
  return {
    transformQuery: ({ node }) => {
      signal.throwIfAborted();
      return node;
    },
    transformResult: async ({ result }) => result,
  };
}

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

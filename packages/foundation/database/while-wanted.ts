import { setTimeout as delay } from "node:timers/promises";
import { sql, type KyselyPlugin, type RawBuilder, type Transaction } from "kysely";
import type { Database, Running } from "./database.ts";

/** `pid` is null where one session serves everybody, so that nothing can be cancelled from outside. */
export type Began = { readonly pid: number | null; readonly began: string };

/** Columns to read first in a transaction; they identify its statements for cancelling. */
export const beganColumns: RawBuilder<Began> = sql`case when strpos(version(), 'PGlite') = 0 then pg_backend_pid() end as pid, now()::text as began`;

type WhileWanted = {
  readonly database: Pick<Database<unknown>, "cancel">;
  readonly signal: AbortSignal;
  readonly running: Began | undefined;
};

/** Works in a transaction until `signal` is aborted: the running statement is then cancelled on the server too, and no other begins. */
export async function whileWanted<Schema, Result>(
  transaction: Transaction<Schema>,
  { database, signal, running }: WhileWanted,
  work: (transaction: Transaction<Schema>) => Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted();
  const over = new AbortController();
  let cancelling: Promise<void> | undefined;
  const cancel = () => {
    if (running !== undefined && running.pid !== null) {
      cancelling = cancelUntil(over.signal, { database, running: { pid: running.pid, began: running.began } });
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
    over.abort(OVER);
    // The cancellation must end before another caller gets this connection.
    await cancelling;
  }
}

/** What is aborted without a reason makes an exception with the whole stack each time. */
const OVER = new Error("the transaction has ended");

/** A cancellation that the server is told of just before a statement arrives ends nothing. */
const AGAIN_MS = 250;

async function cancelUntil(
  over: AbortSignal,
  { database, running }: Pick<WhileWanted, "database"> & { readonly running: Running },
): Promise<void> {
  while (!over.aborted) {
    // A statement that can't be cancelled ends by its time-out.
    await database.cancel(running).catch(() => undefined);
    await delay(AGAIN_MS, undefined, { signal: over }).catch(() => undefined);
  }
}

/** Refuses the next statement once the signal is aborted. */
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
  /** Aborting it cancels the running statement. */
  readonly signal: AbortSignal;
  /** The time limit of a statement. */
  readonly milliseconds: number;
};

/** Reads in a transaction that sees one snapshot, until `signal` is aborted. */
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

import { sql, type Transaction } from "kysely";
import type { ObservabilitySchema } from "#schema.ts";

/** Longer than any answer should take; what is not counted yet may take that long. */
const TIMEOUT_MS = 10_000;

/** For statements whose conditions somebody wrote: to compile many of them takes longer than to look at all traces. */
export async function boundSearch(transaction: Transaction<ObservabilitySchema>): Promise<void> {
  await sql`select set_config('statement_timeout', ${`${TIMEOUT_MS}`}, true), set_config('jit', 'off', true)`.execute(transaction);
}

import { sql, type Transaction } from "kysely";
import type { ObservabilitySchema } from "#schema.ts";

/** Longer than any answer should take; what is not counted yet may take that long. */
const TIMEOUT_MS = 10_000;

/** Kilobytes: as the rows of a word that is common are found, none of them is looked at again, which takes longer than all else. */
const SORT_MEMORY = 64 * 1024;

/** For statements whose conditions somebody wrote: to compile many of them takes longer than to look at all traces. */
export async function boundSearch(transaction: Transaction<ObservabilitySchema>): Promise<void> {
  await sql`
    select set_config('statement_timeout', ${`${TIMEOUT_MS}`}, true), set_config('jit', 'off', true),
      set_config('work_mem', greatest(pg_size_bytes(current_setting('work_mem')) / 1024, ${SORT_MEMORY}::bigint)::text, true)`.execute(
    transaction,
  );
}

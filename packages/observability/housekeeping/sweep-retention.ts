import type { Query } from "#schema.ts";
import { deleteExpiredTraces, dropDay, listPastDays } from "#store/days.store.ts";
import { deleteExpiredRecords } from "./expired-records.store.ts";

/** How many traces one short transaction deletes. */
const AT_ONCE = 500;

/**
 * Deletes traces whose retention has ended, and drops days that are empty. Any number of replicas may do it at once;
 * what is left when `signal` aborts is left for the next time.
 */
export async function sweepRetention(query: Query, signal?: AbortSignal): Promise<{ readonly traces: number; readonly days: number }> {
  let [traces, days] = [0, 0];
  const isStopping = () => signal?.aborted === true;
  for (const day of await listPastDays(query)) {
    for (let deleted = AT_ONCE; deleted >= AT_ONCE && !isStopping(); traces += deleted) {
      deleted = await deleteExpiredTraces(query, day, AT_ONCE);
    }
    if (isStopping()) {
      return { traces, days };
    }
    days += (await dropDay(query, day)) ? 1 : 0;
  }
  await deleteExpiredRecords(query);
  return { traces, days };
}

import type { EachOwner } from "@sightline/foundation/each-owner";
import type { Query } from "#schema.ts";
import { deleteExpiredTraces, deleteRowsOfDay, dropDay, findExpiredOn, listPastDays } from "#store/days.store.ts";
import { deleteExpiredRecords } from "./expired-records.store.ts";

/** How many traces one short transaction deletes. */
const AT_ONCE = 500;

type Sweeping = { readonly each: EachOwner; readonly signal?: AbortSignal };

/**
 * Deletes traces whose retention has ended, project by project, and drops days that are empty. Any number of replicas may do it at once; what can't
 * be deleted, or is left when `signal` aborts, is left for the next time.
 */
export async function sweepRetention(
  query: Query,
  { each, signal }: Sweeping,
): Promise<{ readonly traces: number; readonly days: number }> {
  let [traces, days] = [0, 0];
  const isStopping = () => signal?.aborted === true;

  async function sweepDay(day: string): Promise<void> {
    const { projects, isDayOver } = await findExpiredOn(query, day);
    const left = await each(projects, {
      idOf: (projectId) => `${day} of ${projectId}`,
      work: async (projectId) => {
        for (let deleted = AT_ONCE; deleted >= AT_ONCE && !isStopping(); traces += deleted) {
          deleted = await deleteExpiredTraces(query, { projectId, day, isDayOver, atOnce: AT_ONCE });
        }
      },
      signal,
    });
    if (isDayOver && left.length > 0) {
      // The day stays for those whose traces can't be deleted; what it holds of the others does not wait for that.
      const others = projects.filter((projectId) => !left.includes(projectId));
      await each(others, {
        idOf: (projectId) => `rows on ${day} of ${projectId}`,
        work: (projectId) => deleteRowsOfDay(query, { projectId, day, isStopping }),
        signal,
      });
    } else if (!isStopping()) {
      days += (await dropDay(query, day)) ? 1 : 0;
    }
  }

  await each(await listPastDays(query), { idOf: (day) => day, work: sweepDay, signal });
  await deleteExpiredRecords(query, { each, signal });
  return { traces, days };
}

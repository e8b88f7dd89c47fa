import { sql } from "kysely";
import type { Query } from "#schema.ts";
import { PACKED_COLUMNS, PACKED_NUMBERS, packing } from "./packed-columns.ts";
import { lockCounting } from "./trace-entries.store.ts";

/** How long an hour is left alone after it is over, and after a change: an hour in which traces still end is not packed for each of them. */
const REST_MINUTES = 10;
/** How many hours one call packs, each in a transaction of its own. */
const HOURS = 20;

const columns = sql.join(["trace_id", ...PACKED_COLUMNS].map((name) => sql.ref(name)));
const numbers = sql.join(PACKED_NUMBERS.map((name) => sql.ref(name)));

/**
 * Packs some of the hours in which traces have changed, those first that changed first. Any number of processes may do it at once.
 *
 * @returns whether there may be more.
 */
export async function packHours(query: Query, restMinutes: number = REST_MINUTES): Promise<boolean> {
  const { rows } = await sql<{ project_id: string; hour: string }>`
    select project_id, hour::text as hour from observability.trace_hours
    where changed_at <= now() - ${restMinutes} * interval '1 minute' and hour <= now() - (60 + ${restMinutes}::int) * interval '1 minute'
    order by changed_at limit ${HOURS}`.execute(query);
  for (const { project_id: projectId, hour } of rows) {
    await packHour(query, projectId, hour);
  }
  return rows.length === HOURS;
}

async function packHour(query: Query, projectId: string, hour: string): Promise<void> {
  const ofHour = sql`project_id = ${projectId}::uuid and hour = ${hour}::timestamptz`;
  await query.transaction().execute(async (transaction) => {
    // Entries change under this lock only.
    await lockCounting(transaction, projectId);
    await sql`delete from observability.trace_hour_fields where ${ofHour}`.execute(transaction);
    await sql`delete from observability.trace_hours where ${ofHour}`.execute(transaction);
    const entries = sql`
      select ${columns} from observability.trace_entries
      where project_id = ${projectId}::uuid and sort_at >= ${hour}::timestamptz and sort_at < ${hour}::timestamptz + interval '1 hour'`;
    await sql`
      with ${packing(entries)}, put as (
        insert into observability.trace_hours (project_id, hour, changed_at, traces, statuses, ${numbers})
        select ${projectId}::uuid, ${hour}::timestamptz, null::timestamptz, traces, statuses, ${numbers} from packed_numbers
      )
      insert into observability.trace_hour_fields (project_id, hour, field, said, counts, places)
      select ${projectId}::uuid, ${hour}::timestamptz, field, said, counts, places from packed_fields`.execute(transaction);
  });
}

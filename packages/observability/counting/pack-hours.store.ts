import type { EachOwner } from "@sightline/foundation/each-owner";
import { sql } from "kysely";
import type { Query } from "#schema.ts";
import { PACKED_COLUMNS, PACKED_NUMBERS, packing } from "./packed-columns.ts";
import { isLive } from "#store/live-traces.ts";
import { lockCounting } from "./count-traces.store.ts";

/** How long an hour is left alone after it is over, and after a change: an hour in which traces still end is not packed for each of them. */
const REST_MINUTES = 10;
/** How many hours one call packs, each in a transaction of its own. */
const HOURS = 20;

type Packing = {
  readonly each: EachOwner;
  readonly restMinutes?: number;
  readonly signal?: AbortSignal;
};

type ChangedHour = { readonly project_id: string; readonly hour: string };

const columns = sql.join(["trace_id", ...PACKED_COLUMNS].map((name) => sql.ref(name)));
const numbers = sql.join(PACKED_NUMBERS.map((name) => sql.ref(name)));

/**
 * Packs some of the hours in which traces have changed, of each project those first that changed first. One that can't be packed is put behind all
 * others: its entries are read meanwhile. Any number of processes may do it at once.
 *
 * @returns whether there may be more.
 */
export async function packHours(query: Query, { each, restMinutes = REST_MINUTES, signal }: Packing): Promise<boolean> {
  const { rows } = await sql<ChangedHour>`
    select project_id, hour from (
      select project_id, hour::text as hour, changed_at, row_number() over (partition by project_id order by changed_at) as turn
      from observability.trace_hours
      where changed_at <= now() - ${restMinutes} * interval '1 minute' and hour <= now() - (60 + ${restMinutes}::int) * interval '1 minute'
    ) as changed order by turn, changed_at limit ${HOURS}`.execute(query);
  const left = await each(rows, {
    idOf: ({ project_id: projectId, hour }) => `${projectId} ${hour}`,
    work: ({ project_id: projectId, hour }) => packHour(query, projectId, hour),
    signal,
  });
  for (const hour of left) {
    await putOff(query, hour);
  }
  return rows.length === HOURS;
}

async function putOff(query: Query, { project_id: projectId, hour }: ChangedHour): Promise<void> {
  await sql`
    update observability.trace_hours set changed_at = now()
    where project_id = ${projectId}::uuid and hour = ${hour}::timestamptz and changed_at is not null`.execute(query);
}

async function packHour(query: Query, projectId: string, hour: string): Promise<void> {
  const ofHour = sql`project_id = ${projectId}::uuid and hour = ${hour}::timestamptz`;
  await query.transaction().execute(async (transaction) => {
    // Entries change under this lock only.
    await lockCounting(transaction, projectId);
    await sql`delete from observability.trace_hour_fields where ${ofHour}`.execute(transaction);
    await sql`delete from observability.trace_hours where ${ofHour}`.execute(transaction);
    const entries = sql`
      select ${columns} from observability.trace_entries as entry
      where ${isLive("entry")} and project_id = ${projectId}::uuid and sort_at >= ${hour}::timestamptz and sort_at < ${hour}::timestamptz + interval '1 hour'`;
    await sql`
      with ${packing(entries)}, put as (
        insert into observability.trace_hours (project_id, hour, changed_at, traces, statuses, ${numbers})
        select ${projectId}::uuid, ${hour}::timestamptz, null::timestamptz, traces, statuses, ${numbers} from packed_numbers
      )
      insert into observability.trace_hour_fields (project_id, hour, field, said, counts, places)
      select ${projectId}::uuid, ${hour}::timestamptz, field, said, counts, places from packed_fields`.execute(transaction);
  });
}

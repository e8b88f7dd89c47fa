import { errorCode } from "@sightline/foundation/errors";
import { sql } from "kysely";
import type { Query } from "#schema.ts";
import type { ProjectHour } from "./hour-figures.store.ts";
import { listVisibleIds, type Reader } from "#store/reader.ts";

const FIRST_PAUSE_S = 60;
const LAST_PAUSE_S = 6 * 3_600;

export type SetAside = {
  /** How often it could not be counted in a row. */
  readonly failures: number;
  readonly next_try_at: Date;
  readonly error_code: string;
};

/** Sets aside an hour that could not be counted: its row stands for its marks, and says when it is tried again, less and less often. */
export async function setHourAside(
  query: Query,
  { projectId, day, hour }: ProjectHour,
  { error, now }: { readonly error: unknown; readonly now: Date },
): Promise<SetAside> {
  const pause = (failures: ReturnType<typeof sql>) =>
    sql`${now}::timestamptz + least(${FIRST_PAUSE_S} * 2 ^ least(${failures}, 20), ${LAST_PAUSE_S}) * interval '1 second'`;
  const { rows } = await sql<SetAside>`
    insert into observability.uncounted_hours as known (project_id, day, hour, failures, since, next_try_at, error_code)
    values (${projectId}::uuid, ${day}::date, ${hour}::timestamptz, 1, ${now}::timestamptz, ${pause(sql`0`)}, ${errorCode(error) ?? "unknown"})
    on conflict (project_id, day, hour) do update
    set failures = known.failures + 1, next_try_at = ${pause(sql`known.failures`)}, error_code = excluded.error_code
    returning failures, next_try_at, error_code`.execute(query);
  const [row] = rows;
  if (row === undefined) {
    throw new Error("an insert returned no row");
  }
  return row;
}

export type Uncounted = {
  readonly hours: number;
  /** Since when the first of them is tried in vain; null when there are none. */
  readonly since: Date | null;
};

/** Counts the hours that are set aside, of all projects that the reader may see or of one of them. */
export async function findUncountedHours(
  query: Query,
  { reader, projectId, from }: { readonly reader: Reader; readonly projectId?: string | undefined; readonly from?: Date },
): Promise<Uncounted> {
  const visible = await listVisibleIds(query, reader);
  const asked = projectId === undefined ? visible : visible.filter((id) => id === projectId);
  const { rows } = await sql<Uncounted>`
    select count(*) as hours, min(since) as since from observability.uncounted_hours
    where project_id = any(${asked}::uuid[]) and (${from ?? null}::timestamptz is null or hour >= ${from ?? null})`.execute(query);
  return rows[0] ?? { hours: 0, since: null };
}

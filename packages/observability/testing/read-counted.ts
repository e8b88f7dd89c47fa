import { silentLog } from "@sightline/foundation/testing/silent-log";
import type { Database } from "@sightline/foundation/database/database";
import { createCounting } from "#housekeeping/counting.ts";
import type { ObservabilitySchema } from "#schema.ts";

const COUNTED = {
  hourly: "project_id, day, hour, kind, name, model, status, number",
  code_hours: "project_id, hour, day, repo, commit, file, function, line",
  trace_entries: "project_id, trace_id",
  trace_groups: "project_id, field, value",
} as const;

/** Everything that is counted from traces and steps, in a fixed order. */
export async function readCounted({ pool }: Database<ObservabilitySchema>): Promise<Readonly<Record<string, readonly unknown[]>>> {
  const read = async ([table, key]: readonly [string, string]) => {
    const { rows } = await pool.query(`select * from observability.${table} order by ${key}`);
    return [table, rows] as const;
  };
  return Object.fromEntries(await Promise.all(Object.entries(COUNTED).map(read)));
}

/** What {@link readCounted} reads, once all of it is deleted and counted again, on a cluster through its coordinator. */
export async function countedAnew(database: Database<ObservabilitySchema>): Promise<Readonly<Record<string, readonly unknown[]>>> {
  await forgetCounted(database);
  const counting = createCounting({ query: database.query, log: silentLog });
  const { signal } = new AbortController();
  while ((await counting.countHours(signal)) !== false);
  while ((await counting.countTraces(signal)) !== false);
  return readCounted(database);
}

/** Deletes all that is counted, and marks everything, so that all of it is counted again. */
export async function forgetCounted(database: Database<ObservabilitySchema>): Promise<void> {
  for (const table of [...Object.keys(COUNTED), "trace_marks", "hourly_marks"]) {
    await database.pool.query(`truncate observability.${table}`);
  }
  await database.pool.query("insert into observability.trace_marks (project_id, trace_id) select project_id, id from observability.traces");
  await database.pool.query(`
    insert into observability.hourly_marks (project_id, day, hour)
    select distinct project_id, day, date_bin('1 hour', sort_at, timestamptz '1970-01-01 00:00:00+00') from observability.traces`);
  await database.pool.query(`
    insert into observability.hourly_marks (project_id, day, hour) select distinct project_id, day, hour from observability.observations`);
}

import type { Database } from "@sightline/foundation/database/database";
import type { ObservabilitySchema } from "#schema.ts";

/** All that there is, as if it had come ten days ago; projects keep a week. */
export async function makeOld(database: Pick<Database<ObservabilitySchema>, "pool">): Promise<void> {
  const { rows } = await database.pool.query<{ day: string }>("select ((now() at time zone 'UTC')::date - 10)::text as day");
  const day = rows[0]?.day ?? "";
  for (const table of ["observations", "payloads"]) {
    await database.pool.query(
      `create table if not exists observability.${table}_${day.replaceAll("-", "")} partition of observability.${table} for values in ('${day}')`,
    );
    await database.pool.query(`update observability.${table} set day = '${day}'`);
  }
  await database.pool.query(`update observability.traces set day = '${day}'`);
  await database.pool.query("update observability.projects set retention_days = 7");
}

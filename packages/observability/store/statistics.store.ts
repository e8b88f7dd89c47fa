import { sql } from "kysely";
import type { Query } from "#schema.ts";

/** A smaller table needs no statistics: any plan is good enough. */
const MIN_PAGES = 8;

/**
 * Analyzes the tables that have doubled in size since the last time, and returns their names. A table that fills up has
 * no statistics until autovacuum comes by, and in the embedded database it never does; plans made without them go
 * through all rows of a project for each one they want.
 *
 * @param days Those of which traces and steps are wanted, as `YYYY-MM-DD`; all tables when left out.
 */
export async function analyzeGrownTables(query: Query, days?: readonly string[]): Promise<readonly string[]> {
  const wanted = days?.map((day) => day.replaceAll("-", "")) ?? null;
  const { rows } = await sql<{ name: string }>`
    select class.relname as name from pg_class as class join pg_namespace as namespace on namespace.oid = class.relnamespace
    where namespace.nspname = 'observability' and class.relkind = 'r'
      and pg_relation_size(class.oid) / current_setting('block_size')::int > greatest(class.relpages * 2, ${MIN_PAGES}::int)
      and (${wanted}::text[] is null or class.oid = 'observability.traces'::regclass
        or class.oid in (select inhrelid from pg_inherits where inhparent = 'observability.observations'::regclass)
          and substring(class.relname from '^observations_([0-9]{8})') = any(${wanted}::text[]))
    order by name`.execute(query);
  for (const { name } of rows) {
    await sql`analyze (skip_locked) ${sql.id("observability", name)}`.execute(query);
  }
  return rows.map(({ name }) => name);
}

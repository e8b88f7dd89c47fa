import { sql } from "kysely";
import type { Query } from "#schema.ts";

/** The most rows of one statement; more are left for the next sweep. */
const AT_ONCE = 10_000;

/** More days than any request can cover. */
const CODE_DAYS = 92;

/**
 * Deletes expired rows that belong to no trace: parts of payloads, dead letters, scores of traces that never came,
 * producers and their gaps. Rows about which code ran go after three months, the others two days after the traces of
 * their time: traces are deleted by the day, and a producer that refers to a part of payloads sends it again within a
 * day.
 */
export async function deleteExpiredRecords(query: Query): Promise<void> {
  for (const [table, column] of [
    ["blobs", "used_at"],
    ["dead_letters", "created_at"],
    ["scores", "received_at"],
    ["ingest_gaps", "found_at"],
    ["producers", "heard_at"],
  ] as const) {
    await sql`
      delete from ${sql.table(`observability.${table}`)} where ctid = any(array(
        select row.ctid
        from observability.projects as project
        join ${sql.table(`observability.${table}`)} as row on row.project_id = project.id
        where row.${sql.ref(column)} < now() - (project.retention_days + 2) * interval '1 day'
        limit ${AT_ONCE}
        for update of row skip locked
      ))`.execute(query);
  }
  await sql`
    delete from observability.code_hours where ctid = any(array(
      select row.ctid
      from observability.projects as project join observability.code_hours as row on row.project_id = project.id
      where row.hour < now() - ${CODE_DAYS} * interval '1 day'
      limit ${AT_ONCE}
      for update of row skip locked
    ))`.execute(query);
}

import { sql, type RawBuilder } from "kysely";

/** Whether a row of traces or their entries is live: these have no purpose, and they alone are counted. */
export function isLive(table: string): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(`${table}.purpose`)} is null`;
}

/** Whether a row of a trace, one of its steps, belongs to a live one. The others are few, and have an index. */
export function isOfLiveTrace(project: RawBuilder<unknown>, traceId: string): RawBuilder<boolean> {
  return sql<boolean>`not exists (
    select from observability.traces as aside
    where aside.project_id = ${project} and aside.id = ${sql.ref(traceId)} and aside.purpose is not null
  )`;
}

import { sql, type RawBuilder, type Selectable } from "kysely";
import type { ObservationStatus } from "#contract.ts";
import type { TraceRow } from "#schema.ts";

// What has not ended is abandoned when its producer is gone, since nobody else can end it: a run, when every producer that could end it or one
// of its open steps is gone. When a producer is gone is decided in `query/ingestion/gone-producers.ts`.

export type TraceStatus = Selectable<TraceRow>["status"] | "abandoned";

/** One run of a trace: the first, or one that resumed it. */
export function selectRunStatus(project: RawBuilder<unknown>, run: "run"): RawBuilder<TraceStatus> {
  const column = (name: string) => sql.ref(`${run}.${name}`);
  // Without its start and without open steps it is up to those that sent the others.
  return sql`case when ${column("status")} = 'running' and (
    select coalesce(bool_and(producer.gone_at is not null), false)
    from observability.producers as producer
    where producer.project_id = ${project} and producer.producer_id in (
      select ${column("start_producer")}
      union all
      select coalesce(step.start_producer, step.end_producer)
      from observability.observations as step
      where step.project_id = ${project} and step.trace_id = ${column("id")} and step.day = ${column("day")}
        and (step.end_status is null or ${column("start_producer")} is null)
    )
  ) then 'abandoned' else ${column("status")} end`;
}

/** An entry of the list is what its last run is, which is asked only where one of its producers is gone. */
export function entryStatus(projectId: string): RawBuilder<TraceStatus> {
  const project = sql`${projectId}::uuid`;
  return sql`case when entry.status = 'running' and exists (
    select from observability.producers as producer
    where producer.project_id = ${project} and producer.producer_id = any(entry.producers) and producer.gone_at is not null
  ) then (
    select ${selectRunStatus(project, "run")}
    from observability.traces as run where run.project_id = ${project} and run.id = entry.last_run
  ) else entry.status end`;
}

/** A step of the relation `step`. */
export function statusOfStep(projectId: string): RawBuilder<ObservationStatus> {
  return sql`coalesce(step.end_status, case when exists (
    select from observability.producers as producer
    where producer.project_id = ${projectId} and producer.producer_id = step.start_producer and producer.gone_at is not null
  ) then 'abandoned' else 'running' end)`;
}

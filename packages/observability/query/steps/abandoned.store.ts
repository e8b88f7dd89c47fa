import { sql, type RawBuilder, type Selectable } from "kysely";
import type { ObservationStatus } from "#contract.ts";
import type { TraceRow } from "#schema.ts";

// What has not ended is abandoned when its producer is gone, since nobody else can end it: a run, when every producer that could end it or one
// of its open steps is gone (`observability.status_of`). When a producer is gone is decided in `query/ingestion/gone-producers.ts`.

export type TraceStatus = Selectable<TraceRow>["status"] | "abandoned";

/** One run of a trace: the first, or one that resumed it. */
export function statusOfRun(run: "trace" | "part"): RawBuilder<TraceStatus> {
  const column = (name: string) => sql.ref(`${run}.${name}`);
  return sql`observability.status_of(trace.project_id, ${column("id")}, ${column("day")}, ${column("status")}, ${column("start_producer")})`;
}

/** An entry of the list is what its last run is, which is asked only where one of its producers is gone. */
export const entryStatus = sql<TraceStatus>`case when entry.status = 'running' and exists (
  select from observability.producers as producer
  where producer.project_id = entry.project_id and producer.producer_id = any(entry.producers) and producer.gone_at is not null
) then (
  select observability.status_of(run.project_id, run.id, run.day, run.status, run.start_producer)
  from observability.traces as run where run.project_id = entry.project_id and run.id = entry.last_run
) else entry.status end`;

/** A step of the relation `step`. */
export function statusOfStep(projectId: string): RawBuilder<ObservationStatus> {
  return sql`coalesce(step.end_status, case when exists (
    select from observability.producers as producer
    where producer.project_id = ${projectId} and producer.producer_id = step.start_producer and producer.gone_at is not null
  ) then 'abandoned' else 'running' end)`;
}

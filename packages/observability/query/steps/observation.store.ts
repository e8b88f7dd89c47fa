import { sql, type Kysely, type Selectable } from "kysely";
import type { ObservabilitySchema, ObservationRow } from "#schema.ts";
import { isOfRun, type Run } from "./find-run.store.ts";
import { costOf } from "#prices/prices.store.ts";

export type OneObservation = Omit<Selectable<ObservationRow>, "graph_step" | "next"> & {
  readonly cost: number | null;
  readonly is_abandoned: boolean;
};

/** Only an event's length bounds it. */
const ERROR_MAX = 65_536;

/** Of several parts of a trace that have the id, the first one's. */
export async function findObservation(query: Kysely<ObservabilitySchema>, run: Run, id: string): Promise<OneObservation | undefined> {
  const { rows } = await sql<OneObservation>`
    select step.id, step.trace_id, step.project_id, step.seen_at, step.start_event, step.start_producer, step.start_seq, step.parent_id,
      step.kind, step.name, step.started_at, step.start_model, step.code, step.end_event, step.end_producer, step.end_seq, step.ended_at,
      step.duration_ms, step.end_status, step.end_model, step.input_tokens, step.output_tokens, step.cache_read_tokens,
      step.cache_write_tokens, step.reasoning_tokens, step.model,
      case when length(step.error) <= ${ERROR_MAX} then step.error else left(step.error, ${ERROR_MAX}) || '…' end as error,
      case when step.input_tokens is not null or step.output_tokens is not null then ${costOf("step", "price")} end as cost,
      step.end_status is null and exists (
        select from observability.producers as producer
        where producer.project_id = step.project_id and producer.producer_id = step.start_producer and producer.gone_at is not null
      ) as is_abandoned
    from (
      select * from observability.observations where ${isOfRun(run)} and id = ${id}
      order by array_position(${run.segments.map((segment) => segment.id)}::uuid[], trace_id) limit 1
    ) as step
    left join lateral observability.price_of(step.project_id, step.model, step.hour) as price on true`.execute(query);
  return rows[0];
}

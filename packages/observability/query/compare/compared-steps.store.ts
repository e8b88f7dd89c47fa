import { sql, type Kysely, type RawBuilder } from "kysely";
import type { GraphMove, GraphStep, ObservabilitySchema, ObservationRow } from "#schema.ts";
import { costOf } from "#prices/prices.store.ts";
import { hasRole, type Reader } from "#store/reader.ts";

type Query = Kysely<ObservabilitySchema>;

/** The parts of one trace, and who wants to see them. */
export type ComparedRun = { readonly reader: Reader; readonly projectId: string; readonly traceIds: readonly string[] };

export type ComparedStepRow = Pick<
  ObservationRow,
  | "id"
  | "trace_id"
  | "parent_id"
  | "kind"
  | "name"
  | "seen_at"
  | "started_at"
  | "ended_at"
  | "duration_ms"
  | "end_status"
  | "start_producer"
  | "end_producer"
  | "start_seq"
  | "end_seq"
  | "start_event"
  | "end_event"
  | "input_tokens"
  | "output_tokens"
  | "code"
> & {
  readonly model: string | null;
  readonly cost: number | null;
  readonly error: string | null;
  readonly error_digest: string | null;
  readonly is_abandoned: boolean;
  readonly graph_step: GraphStep | null;
  readonly next: readonly GraphMove[] | null;
};

/** What an event carried, as short as it can be told apart. */
export type PayloadDigest = {
  readonly event_id: string;
  readonly value: string | null;
  readonly attributes: string | null;
  readonly parameters: string | null;
  readonly result: string | null;
  /** Bytes of all of them; null when too much came before for it to be read. */
  readonly size: number | null;
};

export const COMPARED_STEPS_MAX = 20_000;
const ERROR_MAX = 300;
/** Characters of code references and places in graphs, which only an event's length bounds; what comes after is left out. */
const PLACES_MAX = 16 * 1024 * 1024;
const PAYLOADS_MAX = 60_000;
/** Bytes as they are stored that are read to tell values apart. */
const STORED_MAX = 64 * 1024 * 1024;

/** A run's steps, those that began first, in no order that means anything. */
export async function findComparedSteps(query: Query, run: ComparedRun): Promise<readonly ComparedStepRow[]> {
  const { rows } = await sql<ComparedStepRow>`
    select id, trace_id, parent_id, kind, name, seen_at, started_at, ended_at, duration_ms, end_status, start_producer, end_producer,
      start_seq, end_seq, start_event, end_event, input_tokens, output_tokens, model,
      case when octet_length(error) <= ${ERROR_MAX} then error else left(error, ${ERROR_MAX}) || '…' end as error, md5(error) as error_digest,
      ${whileLight("code")}, ${whileLight("graph_step")}, ${whileLight("next")},
      (
        select ${costOf("observation", "price")}
        from observability.price_of(observation.project_id, observation.model, observation.hour) as price
        where observation.input_tokens is not null or observation.output_tokens is not null
      ) as cost,
      end_status is null and exists (
        select from observability.producers as producer
        where producer.project_id = observation.project_id and producer.producer_id = observation.start_producer and producer.gone_at is not null
      ) as is_abandoned
    from (
      select *, sum(coalesce(length(code::text), 0) + coalesce(length(graph_step::text), 0) + coalesce(length(next::text), 0))
        over (order by coalesce(started_at, seen_at), id)::bigint as weight
      from (
        select * from observability.observations where ${isOf(run)}
        order by coalesce(started_at, seen_at), id
        limit ${COMPARED_STEPS_MAX}
      ) as first
    ) as observation`.execute(query);
  return rows;
}

/** Of the events that carried something. */
export async function findPayloadDigests(query: Query, run: ComparedRun): Promise<readonly PayloadDigest[]> {
  const { rows } = await sql<PayloadDigest>`
    select event_id,
      case when is_read then md5(value::text) end as value,
      case when is_read then md5(attributes::text) end as attributes,
      case when is_read then md5((tool_entry -> 'parameters')::text) end as parameters,
      case when is_read then md5((tool_entry -> 'result')::text) end as result,
      case when is_read then coalesce(octet_length(value::text), 0) + coalesce(octet_length(attributes::text), 0) + coalesce(octet_length(tool_entry::text), 0) end as size
    from (
      select *, sum(coalesce(pg_column_size(value), 0) + coalesce(pg_column_size(attributes), 0) + coalesce(pg_column_size(tool_entry), 0))
        over (order by seq, event_id) <= ${STORED_MAX} as is_read
      from (
        select * from observability.payloads where ${isOf(run)} and part in ('start', 'end')
        order by seq, event_id
        limit ${PAYLOADS_MAX}
      ) as first
    ) as payload`.execute(query);
  return rows;
}

export type ComparedValues = {
  readonly event_id: string;
  readonly value: unknown;
  readonly attributes: Record<string, unknown> | null;
  readonly tool_entry: { parameters: unknown; result: unknown } | null;
};

/** Whole; whoever asks knows their sizes. */
export async function findComparedValues(query: Query, run: ComparedRun, eventIds: readonly string[]): Promise<readonly ComparedValues[]> {
  const { rows } = await sql<ComparedValues>`
    select event_id, value, attributes, tool_entry from observability.payloads
    where ${isOf(run)} and event_id = any(${[...eventIds]}::uuid[])`.execute(query);
  return rows;
}

/** The days are named, so that no other is looked into. */
function isOf({ reader, projectId, traceIds }: ComparedRun): RawBuilder<boolean> {
  return sql<boolean>`project_id = ${projectId} and trace_id = any(${[...traceIds]}::uuid[]) and day = any((
    select array_agg(trace.day)
    from observability.traces as trace join observability.projects as project on project.id = trace.project_id
    where trace.project_id = ${projectId} and trace.id = any(${[...traceIds]}::uuid[]) and ${hasRole(reader, "viewer")}
  )::date[])`;
}

function whileLight(name: "code" | "graph_step" | "next"): RawBuilder<unknown> {
  const column = sql.ref(name);
  return sql`case when weight <= ${PLACES_MAX} then ${column} end as ${column}`;
}

import { sql, type Kysely, type RawBuilder } from "kysely";
import type { ObservabilitySchema } from "#schema.ts";
import { costOf } from "#prices/prices.store.ts";
import { hasRole, type Reader } from "#store/reader.ts";
import type { ObservationContent, PayloadContent } from "#query/steps/trace-content.store.ts";

type Query = Kysely<ObservabilitySchema>;

/** Runs whose steps are taken away, and who takes them. */
export type ExportedRuns = { readonly reader: Reader; readonly projectId: string; readonly traceIds: readonly string[] };

/** The row after which the next page begins. */
export type ExportPosition = { readonly traceId: string; readonly id: string };

const COLUMNS = [
  "id",
  "trace_id",
  "parent_id",
  "kind",
  "name",
  "seen_at",
  "started_at",
  "ended_at",
  "duration_ms",
  "start_event",
  "start_producer",
  "start_seq",
  "start_model",
  "end_event",
  "end_producer",
  "end_seq",
  "end_model",
  "end_status",
  "input_tokens",
  "output_tokens",
  "cache_read_tokens",
  "cache_write_tokens",
  "reasoning_tokens",
  "code",
] as const;

export type ExportedStep = Pick<ObservationContent, (typeof COLUMNS)[number] | "error" | "cost" | "is_abandoned">;

/** An event's length bounds an error; characters of one at the most. */
const ERROR_MAX = 16_384;
/** Characters of one value at the most; of a longer one the beginning is given. */
const VALUE_MAX = 256 * 1024;
const PREVIEW = 4_000;

/** By run and id, which the key gives without sorting. */
export async function findExportedSteps(
  query: Query,
  { after, limit, ...runs }: ExportedRuns & { readonly after: ExportPosition | undefined; readonly limit: number },
): Promise<readonly ExportedStep[]> {
  const isNext = after === undefined ? sql`true` : sql`(trace_id, id) > (${after.traceId}::uuid, ${after.id}::uuid)`;
  const { rows } = await sql<ExportedStep>`
    select ${sql.join(COLUMNS.map((name) => sql.ref(name)))},
      case when octet_length(error) <= ${ERROR_MAX} then error else left(error, ${ERROR_MAX}) || '…' end as error,
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
      select * from observability.observations where ${isOf(runs)} and ${isNext}
      order by trace_id, id
      limit ${limit}
    ) as observation
    order by trace_id, id`.execute(query);
  return rows;
}

export type PayloadSize = { readonly event_id: string; readonly owner_id: string; readonly size: number };

/** What the events of these traces and steps carry, in bytes as it is given out. */
export async function findPayloadSizes(query: Query, runs: ExportedRuns, ownerIds: readonly string[]): Promise<readonly PayloadSize[]> {
  const { rows } = await sql<PayloadSize>`
    select event_id, owner_id,
      least(octet_length(value::text), ${VALUE_MAX}) + least(octet_length(attributes::text), ${VALUE_MAX})
        + least(octet_length(tool_entry::text), ${VALUE_MAX}) + least(octet_length(reasoning::text), ${VALUE_MAX}) as size
    from (
      select event_id, owner_id, coalesce(value, 'null') as value, coalesce(attributes, 'null') as attributes,
        coalesce(tool_entry, 'null') as tool_entry, coalesce(reasoning, 'null') as reasoning
      from observability.payloads
      where ${isOf(runs)} and owner_id = any(${[...ownerIds]}::uuid[]) and part <> 'enter'
    ) as payload`.execute(query);
  return rows;
}

/** In the order of their events. */
export async function findExportedPayloads(
  query: Query,
  runs: ExportedRuns,
  eventIds: readonly string[],
): Promise<readonly PayloadContent[]> {
  const { rows } = await sql<PayloadContent>`
    select owner_id, part, event_id, ${bounded("value")}, ${bounded("attributes")}, ${bounded("tool_entry")},
      left(reasoning ->> 'text', ${VALUE_MAX}) as reasoning
    from observability.payloads
    where ${isOf(runs)} and event_id = any(${[...eventIds]}::uuid[])
    order by seq, event_id`.execute(query);
  return rows;
}

export type ExportedScore = {
  readonly id: string;
  readonly trace_id: string;
  readonly observation_id: string | null;
  readonly name: string;
  readonly value: number;
  readonly comment: string | null;
  readonly author: string | null;
  readonly scored_at: Date;
};

/** By run and id. */
export async function findExportedScores(
  query: Query,
  { reader, projectId, traceIds, after, limit }: ExportedRuns & { readonly after: ExportPosition | undefined; readonly limit: number },
): Promise<readonly ExportedScore[]> {
  const isNext = after === undefined ? sql`true` : sql`(score.trace_id, score.event_id) > (${after.traceId}::uuid, ${after.id}::uuid)`;
  const { rows } = await sql<ExportedScore>`
    select score.event_id as id, score.trace_id, score.observation_id, score.name, score.value, score.comment, score.author, score.scored_at
    from observability.scores as score join observability.projects as project on project.id = score.project_id
    where score.project_id = ${projectId} and score.trace_id = any(${[...traceIds]}::uuid[]) and ${isNext} and ${hasRole(reader, "viewer")}
    order by score.trace_id, score.event_id
    limit ${limit}`.execute(query);
  return rows;
}

/** The days are named, so that no other is looked into. */
function isOf({ reader, projectId, traceIds }: ExportedRuns): RawBuilder<boolean> {
  return sql<boolean>`project_id = ${projectId} and trace_id = any(${[...traceIds]}::uuid[]) and day = any((
    select array_agg(distinct trace.day)
    from observability.traces as trace join observability.projects as project on project.id = trace.project_id
    where trace.project_id = ${projectId} and trace.id = any(${[...traceIds]}::uuid[]) and ${hasRole(reader, "viewer")}
  )::date[])`;
}

function bounded(name: "value" | "attributes" | "tool_entry"): RawBuilder<unknown> {
  const column = sql.ref(name);
  return sql`case
    when octet_length(${column}::text) <= ${VALUE_MAX} then ${column}
    when ${column} is not null then json_build_object(
      'truncated', true, 'characters', length(${column}::text), 'preview', left(${column}::text, ${PREVIEW}::int)
    )
  end as ${column}`;
}

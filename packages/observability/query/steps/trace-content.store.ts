import { sql, type Kysely, type RawBuilder, type Selectable } from "kysely";
import type { ObservabilitySchema, ObservationRow, PayloadRow } from "#schema.ts";
import { findBlobs } from "./blobs.store.ts";
import { costOf } from "#prices/prices.store.ts";
import { resolveBlobs } from "./resolve-blobs.ts";

export type TraceContent = {
  readonly observations: readonly ObservationContent[];
  /** In the order of their events. */
  readonly payloads: readonly PayloadContent[];
  /** There is more. */
  readonly isCut: boolean;
};

export type ObservationContent = Selectable<ObservationRow> & {
  /** Dollars, when it used tokens of a model that has a price. */
  readonly cost: number | null;
  /** It has not ended, and its producer is gone. */
  readonly is_abandoned: boolean;
};

export type PayloadContent = Pick<PayloadRow, "owner_id" | "part" | "event_id" | "value" | "attributes" | "tool_entry"> & {
  readonly reasoning: string | null;
};

/** One answer holds no more than this; a trace with more shows its first ones. */
const OBSERVATIONS_MAX = 20_000;
const PAYLOADS_MAX = 60_000;
/** Characters of one input or output at the most; of a longer one the beginning is given. */
const VALUE_MAX = 256 * 1024;
const PREVIEW = 4_000;
/** Characters of all of them together, in the order of the events; of what comes after only beginnings are given. */
const VALUES_MAX = 1024 * 1024;
/** Characters of places in graphs. */
const GRAPHS_MAX = 16 * 1024 * 1024;
/** Characters of contents in the places of references. */
const CONTENTS_MAX = 1024 * 1024;
const SHORT_PREVIEW = 200;
/** Bytes as they are stored that are looked into for that; of what comes after nothing is given. */
const STORED_MAX = 64 * 1024 * 1024;

/** What happened in a trace. The trace was found under its tenant before. */
export async function findTraceContent(
  query: Kysely<ObservabilitySchema>,
  { project_id: projectId, segments }: { readonly project_id: string; readonly segments: readonly { readonly id: string }[] },
): Promise<TraceContent> {
  const isPart = isPartOf(
    projectId,
    segments.map(({ id }) => id),
  );
  const observations = await query
    .selectFrom(weighed(isPart).as("observation"))
    .select(COLUMNS)
    .select([
      "weight",
      "graph_weight",
      sql<string | null>`case
        when weight <= ${VALUES_MAX} or length(error) <= ${SHORT_PREVIEW} then error else left(error, ${SHORT_PREVIEW}) || '…'
      end`.as("error"),
      whileLight("code").as("code"),
      whileLight("graph_step").as("graph_step"),
      whileLight("next").as("next"),
    ])
    .select(
      sql<number | null>`(
        select ${costOf("observation", "price")}
        from observability.price_of(observation.project_id, observation.model, observation.hour) as price
        where observation.input_tokens is not null or observation.output_tokens is not null
      )`.as("cost"),
    )
    .select(
      sql<boolean>`observation.end_status is null and exists (
        select from observability.producers as producer
        where producer.project_id = observation.project_id and producer.producer_id = observation.start_producer and producer.gone_at is not null
      )`.as("is_abandoned"),
    )
    .orderBy(sql`coalesce(started_at, seen_at)`)
    .orderBy("id")
    .limit(OBSERVATIONS_MAX)
    .execute();
  const payloads = await findPayloads(query, isPart);
  return {
    observations,
    payloads: await resolveBlobs(payloads, (hashes) => findBlobs(query, projectId, hashes), CONTENTS_MAX),
    isCut:
      observations.length === OBSERVATIONS_MAX ||
      (observations.at(-1)?.weight ?? 0) > VALUES_MAX ||
      (observations.at(-1)?.graph_weight ?? 0) > GRAPHS_MAX ||
      payloads.length === PAYLOADS_MAX,
  };
}

/** What is bounded by the intake. */
const COLUMNS = [
  "project_id",
  "trace_id",
  "id",
  "seen_at",
  "start_event",
  "start_producer",
  "start_seq",
  "parent_id",
  "kind",
  "name",
  "started_at",
  "start_model",
  "end_event",
  "end_producer",
  "end_seq",
  "ended_at",
  "duration_ms",
  "end_status",
  "end_model",
  "input_tokens",
  "output_tokens",
  "cache_read_tokens",
  "cache_write_tokens",
  "reasoning_tokens",
  "day",
  "model",
  "uncached_tokens",
  "hour",
] as const;

/**
 * With the characters that this observation and those before it have in what only an event's length bounds: errors and code, which an
 * answer shows, and places in graphs, which it is worked out from.
 */
function weighed(isPart: RawBuilder<boolean>) {
  return sql<Selectable<ObservationRow> & { readonly weight: number; readonly graph_weight: number }>`(
    select *,
      sum(coalesce(octet_length(error), 0) + coalesce(length(code::text), 0)) over by_start::bigint as weight,
      sum(coalesce(length(graph_step::text), 0) + coalesce(length(next::text), 0)) over by_start::bigint as graph_weight
    from observability.observations where ${isPart}
    window by_start as (order by coalesce(started_at, seen_at), id)
  )`;
}

function whileLight<Name extends "code" | "graph_step" | "next">(name: Name) {
  const isLight = name === "code" ? sql`weight <= ${VALUES_MAX}` : sql`graph_weight <= ${GRAPHS_MAX}`;
  return sql<Selectable<ObservationRow>[Name]>`case when ${isLight} then ${sql.ref(name)} end`;
}

async function findPayloads(query: Kysely<ObservabilitySchema>, isPart: RawBuilder<boolean>): Promise<readonly PayloadContent[]> {
  const { rows } = await sql<PayloadContent>`
    select owner_id, part, event_id,
      ${bounded("value")}, ${bounded("attributes")}, ${bounded("tool_entry")},
      case when total is null then null else left(reasoning ->> 'text', ${VALUE_MAX}) end as reasoning
    from (
      select *, case when stored <= ${STORED_MAX} then sum(case when stored <= ${STORED_MAX} then octet_length(concat(value, attributes, tool_entry, reasoning)) end) over by_event end as total
      from (
        select *, sum(${storedBytes}) over by_event as stored
        from (
          select * from observability.payloads
          where ${isPart}
          order by seq, event_id
          limit ${PAYLOADS_MAX}
        ) as payload
        window by_event as (order by seq, event_id)
      ) as payload
      window by_event as (order by seq, event_id)
    ) as payload
    order by seq, event_id`.execute(query);
  return rows;
}

/** Tells without unpacking anything. */
const storedBytes = sql.join(
  ["value", "attributes", "tool_entry", "reasoning"].map((name) => sql`coalesce(pg_column_size(${sql.ref(name)}), 0)`),
  sql` + `,
);

/** The days are named, so that no other is looked into. */
function isPartOf(projectId: string, traceIds: readonly string[]): RawBuilder<boolean> {
  const days = sql`(select array_agg(day) from observability.traces where project_id = ${projectId} and id = any(${traceIds}::uuid[]))`;
  return sql<boolean>`project_id = ${projectId} and trace_id = any(${traceIds}::uuid[]) and day = any(${days}::date[])`;
}

function bounded(name: "value" | "attributes" | "tool_entry") {
  const column = sql.ref(name);
  return sql`
    case
      when ${column} is null then null
      when total is null then json_build_object('truncated', true, 'preview', '')
      when length(${column}::text) <= ${SHORT_PREVIEW} or (total <= ${VALUES_MAX} and length(${column}::text) <= ${VALUE_MAX}) then ${column}
      else json_build_object(
        'truncated', true,
        'characters', length(${column}::text),
        'preview', left(${column}::text, case when total <= ${VALUES_MAX} then ${PREVIEW}::int else ${SHORT_PREVIEW}::int end)
      )
    end as ${column}`;
}

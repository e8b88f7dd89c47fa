import { sql, type Kysely, type Selectable } from "kysely";
import type { ObservabilitySchema, ObservationRow, PayloadRow } from "#schema.ts";
import { findBlobs } from "#query/steps/blobs.store.ts";
import { hasRole, type Reader } from "#store/reader.ts";
import { resolveBlobs } from "#query/steps/resolve-blobs.ts";

type Query = Kysely<ObservabilitySchema>;

export type TranscriptStep = Pick<
  Selectable<ObservationRow>,
  "id" | "name" | "start_event" | "end_event" | "duration_ms" | "end_status" | "model" | "input_tokens" | "output_tokens" | "error"
> & {
  readonly kind: "llm" | "tool";
  /** When it started, as far as that is known. */
  readonly at: Date;
  readonly is_abandoned: boolean;
  /** It stands before the page, and is there for what it said. */
  readonly is_before: boolean;
};

export type TranscriptPayload = Pick<PayloadRow, "owner_id" | "event_id" | "value" | "tool_entry"> & { readonly reasoning: string | null };

type Wanted = {
  readonly reader: Reader;
  readonly projectId: string;
  readonly traceId: string;
  /** The step after which the page begins. */
  readonly after: string | undefined;
  readonly limit: number;
};

/** Steps before a page that are read for what they said. */
const STEPS_BEFORE = 60;
const ERROR_MAX = 2_000;

/**
 * Model calls and tools of a trace, and of the runs that went on from it, in the order of their start, which is the same on every page.
 *
 * @returns undefined when the reader has no such trace.
 */
export async function findTranscriptSteps(query: Query, wanted: Wanted): Promise<readonly TranscriptStep[] | undefined> {
  const { reader, projectId, traceId, after, limit } = wanted;
  const { rows } = await sql<TranscriptStep | { readonly id: null }>`
    with segment as materialized (
      ${segmentsOf(reader, projectId, traceId)}
    ), placed as materialized (
      select observation.id, observation.trace_id, observation.day, row_number() over (
        order by coalesce(observation.started_at, observation.seen_at), observation.start_seq, observation.id
      ) as place
      from segment
      join observability.observations as observation
        on observation.project_id = ${projectId} and observation.trace_id = segment.id and observation.day = segment.day
      where observation.kind in ('llm', 'tool')
    ), beginning as (
      select case when ${after ?? null}::uuid is null then 0 else (select place from placed where id = ${after ?? null}::uuid) end as place
    )
    select observation.id, observation.kind, observation.name, observation.start_event, observation.end_event, observation.duration_ms,
      observation.end_status, observation.model, observation.input_tokens, observation.output_tokens, left(observation.error, ${ERROR_MAX}) as error,
      coalesce(observation.started_at, observation.seen_at) as at, placed.place <= beginning.place as is_before,
      observation.end_status is null and exists (
        select from observability.producers as producer
        where producer.project_id = observation.project_id and producer.producer_id = observation.start_producer and producer.gone_at is not null
      ) as is_abandoned
    from (select from segment limit 1) as found
    left join (
      placed join beginning on placed.place > beginning.place - ${STEPS_BEFORE} and placed.place <= beginning.place + ${limit}
      join observability.observations as observation
        on observation.project_id = ${projectId} and observation.trace_id = placed.trace_id and observation.day = placed.day and observation.id = placed.id
    ) on true
    order by placed.place`.execute(query);
  return rows.length === 0 ? undefined : rows.filter((row) => row.id !== null);
}

/** Characters of one input or output; of a longer one the beginning is given. */
const [VALUE_MAX, PREVIEW] = [1024 * 1024, 8_000];
/** Characters of all of them together, those of the page first; of the others nothing is given. */
const VALUES_MAX = 8 * 1024 * 1024;
/** Bytes as they are stored that are looked into for that. */
const STORED_MAX = 32 * 1024 * 1024;
const REASONING_MAX = 200_000;

/** What went into these steps and came out of them. */
export async function findTranscriptPayloads(
  query: Query,
  { reader, projectId, traceId }: Pick<Wanted, "reader" | "projectId" | "traceId">,
  steps: readonly TranscriptStep[],
): Promise<readonly TranscriptPayload[]> {
  // The page, and then backwards what was said before it.
  const byWeight = [...steps.filter((step) => !step.is_before), ...steps.filter((step) => step.is_before).toReversed()];
  const events = byWeight.flatMap(({ start_event: start, end_event: end }) => [start, end].filter((event) => event !== null));
  const { rows } = await sql<TranscriptPayload>`
    with segment as materialized (
      ${segmentsOf(reader, projectId, traceId)}
    )
    select owner_id, event_id,
      case
        when value is null then null
        when total <= ${VALUES_MAX} and characters <= ${VALUE_MAX} then value
        else json_build_object('truncated', true, 'characters', characters, 'preview', case when total <= ${VALUES_MAX} then left(value::text, ${PREVIEW}) else '' end)
      end as value,
      case when total <= ${VALUES_MAX} and length(tool_entry::text) <= ${VALUE_MAX} then tool_entry end as tool_entry,
      case when total <= ${VALUES_MAX} then left(reasoning ->> 'text', ${REASONING_MAX}) end as reasoning
    from (
      select *, sum(case when stored <= ${STORED_MAX} then least(characters, ${VALUE_MAX}) else ${VALUES_MAX} + 1 end) over (order by place) as total
      from (
        select *, case when stored <= ${STORED_MAX} then coalesce(length(value::text), 0) else 0 end as characters
        from (
          select payload.owner_id, payload.event_id, payload.value, payload.tool_entry, payload.reasoning, wanted.place,
            sum(coalesce(pg_column_size(payload.value), 0) + coalesce(pg_column_size(payload.tool_entry), 0)) over (order by wanted.place) as stored
          from unnest(${events}::uuid[]) with ordinality as wanted (event_id, place)
          join observability.payloads as payload
            on payload.project_id = ${projectId} and payload.trace_id = any(array(select id from segment)) and payload.day = any(array(select day from segment))
            and payload.event_id = wanted.event_id
        ) as payload
      ) as payload
    ) as payload`.execute(query);
  return resolveBlobs(
    rows.map((row) => ({ ...row, attributes: null })),
    (hashes) => findBlobs(query, projectId, hashes),
  );
}

/** The runs the trace consists of, with the days they are kept under, so that no other is looked into. */
function segmentsOf(reader: Reader, projectId: string, traceId: string) {
  return sql`
    select part.id, part.day
    from observability.projects as project,
      lateral observability.segments_of(project.id, observability.beginning_of(project.id, ${traceId}::uuid)) as part
    where project.id = ${projectId} and ${hasRole(reader, "viewer")}`;
}

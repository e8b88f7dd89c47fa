import { sql } from "kysely";
import type { PayloadRow, Query } from "#schema.ts";
import { findBlobs } from "#query/steps/blobs.store.ts";
import { isOfRun, type Run } from "#query/steps/find-run.store.ts";
import { resolveBlobs } from "#query/steps/resolve-blobs.ts";
import { readSteps, type StepRow } from "#query/steps/step.store.ts";

/** `is_before`: it stands before the page, and is there for what it said. */
export type TranscriptStep = StepRow & { readonly is_before: boolean };

export type TranscriptPayload = Pick<PayloadRow, "owner_id" | "event_id" | "value" | "tool_entry"> & { readonly reasoning: string | null };

type Page = {
  /** The step after which the page begins. */
  readonly after: string | undefined;
  readonly limit: number;
};

/** Steps before a page that are read for what they said. */
const STEPS_BEFORE = 60;
const MAX_ERROR = 2_000;

/** Model calls and tools of a trace, and of the runs that went on from it, in the order of their start, which is the same on every page. */
export async function findTranscriptSteps(query: Query, run: Run, { after, limit }: Page): Promise<readonly TranscriptStep[]> {
  return readSteps<{ readonly is_before: boolean }>(query, {
    projectId: run.projectId,
    from: sql`
      with placed as materialized (
        select id, trace_id, day, row_number() over (order by coalesce(started_at, seen_at), start_seq, id) as place
        from observability.observations where ${isOfRun(run)} and kind in ('llm', 'tool')
      ), beginning as (
        select case when ${after ?? null}::uuid is null then 0 else (select place from placed where id = ${after ?? null}::uuid) end as place
      )
      select observation.*, placed.place, placed.place <= beginning.place as is_before
      from placed
      join beginning on placed.place > beginning.place - ${STEPS_BEFORE} and placed.place <= beginning.place + ${limit}
      join observability.observations as observation
        on observation.project_id = ${run.projectId} and observation.trace_id = placed.trace_id and observation.day = placed.day and observation.id = placed.id`,
    error: { whole: MAX_ERROR, kept: MAX_ERROR },
    beside: [sql`place`, sql`is_before`],
    orderBy: sql`place`,
  });
}

/** Characters of one input or output; of a longer one the beginning is given. */
const [MAX_VALUE, PREVIEW] = [1024 * 1024, 8_000];
/** Characters of all of them together, those of the page first; of the others nothing is given. */
const MAX_VALUES = 8 * 1024 * 1024;
/** Bytes as they are stored that are looked into for that. */
const MAX_STORED = 32 * 1024 * 1024;
const MAX_REASONING = 200_000;

/** What went into these steps and came out of them. */
export async function findTranscriptPayloads(
  query: Query,
  run: Run,
  steps: readonly TranscriptStep[],
): Promise<readonly TranscriptPayload[]> {
  // The page, and then backwards what was said before it.
  const byWeight = [...steps.filter((step) => !step.is_before), ...steps.filter((step) => step.is_before).toReversed()];
  const events = byWeight.flatMap(({ start_event: start, end_event: end }) => [start, end].filter((event) => event !== null));
  const { rows } = await sql<TranscriptPayload>`
    select owner_id, event_id,
      case
        when value is null then null
        when total <= ${MAX_VALUES} and characters <= ${MAX_VALUE} then value
        else json_build_object('truncated', true, 'characters', characters, 'preview', case when total <= ${MAX_VALUES} then left(value::text, ${PREVIEW}) else '' end)
      end as value,
      case when total <= ${MAX_VALUES} and length(tool_entry::text) <= ${MAX_VALUE} then tool_entry end as tool_entry,
      case when total <= ${MAX_VALUES} then left(reasoning ->> 'text', ${MAX_REASONING}) end as reasoning
    from (
      select *, sum(case when stored <= ${MAX_STORED} then least(characters, ${MAX_VALUE}) else ${MAX_VALUES} + 1 end) over (order by place) as total
      from (
        select *, case when stored <= ${MAX_STORED} then coalesce(length(value::text), 0) else 0 end as characters
        from (
          select payload.owner_id, payload.event_id, payload.value, payload.tool_entry, payload.reasoning, wanted.place,
            sum(coalesce(pg_column_size(payload.value), 0) + coalesce(pg_column_size(payload.tool_entry), 0)) over (order by wanted.place) as stored
          from unnest(${events}::uuid[]) with ordinality as wanted (event_id, place)
          join observability.payloads as payload
            on ${isOfRun(run)} and payload.event_id = wanted.event_id
        ) as payload
      ) as payload
    ) as payload`.execute(query);
  return resolveBlobs(
    rows.map((row) => ({ ...row, attributes: null })),
    (hashes) => findBlobs(query, run.projectId, hashes),
  );
}

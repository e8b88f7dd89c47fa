import { sql, type RawBuilder } from "kysely";
import type { ScoreDataType, StackTrace } from "#contract.ts";
import type { Query } from "#schema.ts";
import { hasRoleIn } from "#store/reader.ts";
import { isOfRun, type Run } from "#query/steps/find-run.store.ts";
import { readSteps, type StepRow } from "#query/steps/step.store.ts";
import type { PayloadContent } from "#query/steps/trace-content.store.ts";

/** The row after which the next page begins. */
export type ExportPosition = { readonly traceId: string; readonly id: string };

/** An event's length bounds an error; characters of one at the most. */
const MAX_ERROR = 16_384;
/** Characters of one value at the most; of a longer one the beginning is given. */
const MAX_VALUE = 256 * 1024;
const PREVIEW = 4_000;

type Page = { readonly after: ExportPosition | undefined; readonly limit: number };

/** By run and id, which the key gives without sorting. */
export async function findExportedSteps(query: Query, run: Run, { after, limit }: Page): Promise<readonly StepRow[]> {
  const isNext = after === undefined ? sql`true` : sql`(trace_id, id) > (${after.traceId}::uuid, ${after.id}::uuid)`;
  return readSteps(query, {
    projectId: run.projectId,
    from: sql`select * from observability.observations where ${isOfRun(run)} and ${isNext} order by trace_id, id limit ${limit}`,
    error: { whole: MAX_ERROR, kept: MAX_ERROR },
    orderBy: sql`trace_id, id`,
  });
}

export type PayloadSize = { readonly event_id: string; readonly owner_id: string; readonly size: number };

/** What the events of these traces and steps carry, in bytes as it is given out. */
export async function findPayloadSizes(query: Query, run: Run, ownerIds: readonly string[]): Promise<readonly PayloadSize[]> {
  const { rows } = await sql<PayloadSize>`
    select event_id, owner_id,
      least(octet_length(value::text), ${MAX_VALUE}) + least(octet_length(attributes::text), ${MAX_VALUE})
        + least(octet_length(tool_entry::text), ${MAX_VALUE}) + least(octet_length(reasoning::text), ${MAX_VALUE})
        + octet_length(stack::text) as size
    from (
      select event_id, owner_id, coalesce(value, 'null') as value, coalesce(attributes, 'null') as attributes,
        coalesce(tool_entry, 'null') as tool_entry, coalesce(reasoning, 'null') as reasoning,
        coalesce(stack, 'null') as stack
      from observability.payloads
      where ${isOfRun(run)} and owner_id = any(${[...ownerIds]}::uuid[]) and part <> 'enter'
    ) as payload`.execute(query);
  return rows;
}

export type ExportedPayload = PayloadContent & { readonly stack: StackTrace | null };

/** Reads them in the order of their events. */
export async function findExportedPayloads(query: Query, run: Run, eventIds: readonly string[]): Promise<readonly ExportedPayload[]> {
  const { rows } = await sql<ExportedPayload>`
    select owner_id, part, event_id, ${bounded("value")}, ${bounded("attributes")}, ${bounded("tool_entry")},
      left(reasoning ->> 'text', ${MAX_VALUE}) as reasoning, stack
    from observability.payloads
    where ${isOfRun(run)} and event_id = any(${[...eventIds]}::uuid[])
    order by seq, event_id`.execute(query);
  return rows;
}

export type ExportedScore = {
  readonly id: string;
  readonly trace_id: string;
  readonly observation_id: string | null;
  readonly name: string;
  readonly data_type: ScoreDataType;
  readonly value: number | null;
  readonly text_value: string | null;
  readonly comment: string | null;
  readonly source: string;
  readonly author: string | null;
  readonly scored_at: Date;
};

/** By run and id. */
export async function findExportedScores(query: Query, run: Run, { after, limit }: Page): Promise<readonly ExportedScore[]> {
  const { reader, projectId, segments } = run;
  const isNext = after === undefined ? sql`true` : sql`(trace_id, event_id) > (${after.traceId}::uuid, ${after.id}::uuid)`;
  const { rows } = await sql<ExportedScore>`
    select event_id as id, trace_id, observation_id, name, data_type, value, text_value, comment, source, author, scored_at from observability.scores
    where project_id = ${projectId} and trace_id = any(${segments.map(({ id }) => id)}::uuid[]) and ${isNext}
      and ${hasRoleIn(reader, "viewer", projectId)}
    order by trace_id, event_id
    limit ${limit}`.execute(query);
  return rows;
}

function bounded(name: "value" | "attributes" | "tool_entry"): RawBuilder<unknown> {
  const column = sql.ref(name);
  return sql`case
    when octet_length(${column}::text) <= ${MAX_VALUE} then ${column}
    when ${column} is not null then json_build_object(
      'truncated', true, 'characters', length(${column}::text), 'preview', left(${column}::text, ${PREVIEW}::int)
    )
  end as ${column}`;
}

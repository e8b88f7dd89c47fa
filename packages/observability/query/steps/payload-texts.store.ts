import { sql, type Kysely } from "kysely";
import type { StackTrace } from "#contract.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { isOfRun, type Run } from "./find-run.store.ts";

type Query = Kysely<ObservabilitySchema>;

export type PayloadPart = "value" | "attributes" | "parameters" | "result";

/** A part of a payload as JSON text: whole, or its beginning when it is longer than {@link MAX_VALUE}. */
export type PartText = { readonly text: string; readonly characters: number };

export type PayloadTexts = Readonly<Record<PayloadPart, PartText | null>> & {
  readonly event_id: string;
  /** The step, or the segment of the trace. */
  readonly owner_id: string;
  readonly reasoning: string | null;
  readonly stack: StackTrace | null;
};

/** Characters of one value that an answer holds. */
export const MAX_VALUE = 256 * 1024;
export const PREVIEW = 4_000;
const MAX_REASONING = 128 * 1024;
/** A step's updates are read up to this many, the last ones. */
const MAX_UPDATES = 1_000;

const COLUMNS = {
  value: sql`value::text`,
  attributes: sql`attributes::text`,
  parameters: sql`(tool_entry -> 'parameters')::text`,
  result: sql`(tool_entry -> 'result')::text`,
} as const satisfies Record<PayloadPart, unknown>;

type TextsQuery = { readonly eventIds: readonly string[]; readonly updatesOf: readonly string[] };

/** What these events carried, and the updates of these owners, in the order of their numbers. */
export async function findPayloadTexts(query: Query, run: Run, { eventIds, updatesOf }: TextsQuery): Promise<readonly PayloadTexts[]> {
  const { rows } = await sql<PayloadTexts>`
    select event_id, owner_id, ${partText("value")}, ${partText("attributes")}, ${partText("parameters")}, ${partText("result")},
      left(reasoning ->> 'text', ${MAX_REASONING}) as reasoning, stack
    from (
      select * from observability.payloads where ${isOfRun(run)} and event_id = any(${[...eventIds]}::uuid[])
      union all
      (
        select * from observability.payloads where ${isOfRun(run)} and part in ('update', 'enter') and part = 'update'
          and owner_id = any(${[...updatesOf]}::uuid[])
        order by seq desc, event_id desc limit ${MAX_UPDATES}
      )
    ) as payload
    order by seq, event_id`.execute(query);
  return rows;
}

function partText(part: PayloadPart) {
  const text = COLUMNS[part];
  return sql`case when ${text} is not null then json_build_object(
    'characters', length(${text}),
    'text', case when length(${text}) <= ${MAX_VALUE} then ${text} else left(${text}, ${PREVIEW}) end
  ) end as ${sql.ref(part)}`;
}

type RangeQuery = { readonly eventId: string; readonly part: PayloadPart; readonly from: number; readonly length: number };

export type TextRange = { readonly text: string; readonly characters: number; readonly has_contents: boolean };

/** A range of a part, as it is stored; `has_contents` when references may stand in it. */
export async function findPayloadRange(
  query: Query,
  run: Run,
  { eventId, part, from, length }: RangeQuery,
): Promise<TextRange | undefined> {
  const { rows } = await sql<TextRange>`
    select substr(text, ${from}::int + 1, ${length}::int) as text, length(text) as characters, strpos(text, '$blob"') > 0 as has_contents
    from (
      select ${COLUMNS[part]} as text from observability.payloads where ${isOfRun(run)} and event_id = ${eventId} limit 1
    ) as payload
    where text is not null`.execute(query);
  return rows[0];
}

/** Everything of a part. */
export async function findPayloadText(query: Query, run: Run, wanted: Pick<RangeQuery, "eventId" | "part">): Promise<string | undefined> {
  const { rows } = await sql<{ text: string }>`
    select ${COLUMNS[wanted.part]} as text from observability.payloads where ${isOfRun(run)} and event_id = ${wanted.eventId} limit 1`.execute(
    query,
  );
  return rows[0]?.text;
}

import { sql } from "kysely";
import { isOfRun, type Run } from "#query/steps/find-run.store.ts";
import { firstSteps, readSteps, type StepRow } from "#query/steps/step.store.ts";
import type { Query } from "#schema.ts";

export type ComparedStepRow = StepRow & { readonly error_digest: string | null };

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

export const MAX_COMPARED_STEPS = 20_000;
const MAX_ERROR = 300;
/** Characters of code references, which only an event's length bounds; what comes after is left out. */
const MAX_PLACES = 16 * 1024 * 1024;
const MAX_PAYLOADS = 60_000;
/** Bytes as they are stored that are read to tell values apart. */
const MAX_STORED = 64 * 1024 * 1024;

/** A run's steps, those that began first, in no order that means anything. */
export async function findComparedSteps(query: Query, run: Run): Promise<readonly ComparedStepRow[]> {
  return readSteps<Omit<ComparedStepRow, keyof StepRow>>(query, {
    projectId: run.projectId,
    from: firstSteps(run, { limit: MAX_COMPARED_STEPS, weights: { weight: ["code"] } }),
    error: { whole: MAX_ERROR, kept: MAX_ERROR },
    withCode: sql<boolean>`weight <= ${MAX_PLACES}`,
    beside: [sql`md5(error) as error_digest`],
  });
}

/** Reads the digests of events that carried something. */
export async function findPayloadDigests(query: Query, run: Run): Promise<readonly PayloadDigest[]> {
  const { rows } = await sql<PayloadDigest>`
    select event_id,
      case when is_read then md5(value::text) end as value,
      case when is_read then md5(attributes::text) end as attributes,
      case when is_read then md5((tool_entry -> 'parameters')::text) end as parameters,
      case when is_read then md5((tool_entry -> 'result')::text) end as result,
      case when is_read then coalesce(octet_length(value::text), 0) + coalesce(octet_length(attributes::text), 0) + coalesce(octet_length(tool_entry::text), 0) end as size
    from (
      select *, sum(coalesce(pg_column_size(value), 0) + coalesce(pg_column_size(attributes), 0) + coalesce(pg_column_size(tool_entry), 0))
        over (order by seq, event_id) <= ${MAX_STORED} as is_read
      from (
        select * from observability.payloads where ${isOfRun(run)} and part in ('start', 'end')
        order by seq, event_id
        limit ${MAX_PAYLOADS}
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
export async function findComparedValues(query: Query, run: Run, eventIds: readonly string[]): Promise<readonly ComparedValues[]> {
  const { rows } = await sql<ComparedValues>`
    select event_id, value, attributes, tool_entry from observability.payloads
    where ${isOfRun(run)} and event_id = any(${[...eventIds]}::uuid[])`.execute(query);
  return rows;
}

import { sql, type Kysely } from "kysely";
import type { ObservabilitySchema, ObservationRow, PayloadRow } from "#schema.ts";
import { findBlobs } from "./blobs.store.ts";
import { isOfRun, type Run } from "./find-run.store.ts";
import { resolveBlobs } from "./resolve-blobs.ts";
import { BY_START, firstSteps, readSteps, whileLight, type StepRow } from "./step.store.ts";

type Query = Kysely<ObservabilitySchema>;

export type TraceContent = {
  readonly steps: readonly WholeStep[];
  /** Contents in the order of their events. */
  readonly payloads: readonly PayloadContent[];
  /** Whether there is more. */
  readonly isCut: boolean;
};

type WholeStep = StepRow & Pick<ObservationRow, "graph_step" | "next"> & { readonly weight: number; readonly graph_weight: number };

export type PayloadContent = Pick<PayloadRow, "owner_id" | "part" | "event_id" | "value" | "attributes" | "tool_entry"> & {
  readonly reasoning: string | null;
};

/** One answer holds no more than this; a trace with more shows its first ones. */
const MAX_OBSERVATIONS = 20_000;
const MAX_PAYLOADS = 60_000;
/** Characters of one input or output at the most; of a longer one the beginning is given. */
const MAX_VALUE = 256 * 1024;
const PREVIEW = 4_000;
/** Characters of all of them together, in the order of the events; of what comes after only beginnings are given. */
const MAX_VALUES = 1024 * 1024;
/** Characters of places in graphs. */
const MAX_GRAPHS = 16 * 1024 * 1024;
/** Characters of contents in the places of references. */
const MAX_CONTENTS = 1024 * 1024;
const SHORT_PREVIEW = 200;
/** Bytes as they are stored that are looked into for that; of what comes after nothing is given. */
const MAX_STORED = 64 * 1024 * 1024;

/** What happened in a trace. */
export async function findTraceContent(query: Query, run: Run): Promise<TraceContent> {
  const steps = await readSteps<Omit<WholeStep, keyof StepRow>>(query, {
    projectId: run.projectId,
    from: firstSteps(run, { limit: MAX_OBSERVATIONS, weights: { weight: ["error", "code"], graph_weight: ["graph_step", "next"] } }),
    error: {
      whole: sql<number>`case when weight <= ${MAX_VALUES} then ${UNBOUNDED}::int else ${SHORT_PREVIEW}::int end`,
      kept: SHORT_PREVIEW,
    },
    withCode: sql<boolean>`weight <= ${MAX_VALUES}`,
    beside: [
      sql`weight`,
      sql`graph_weight`,
      whileLight("graph_step", "graph_weight", MAX_GRAPHS),
      whileLight("next", "graph_weight", MAX_GRAPHS),
    ],
    orderBy: BY_START,
  });
  const payloads = await findPayloads(query, run);
  const last = steps.at(-1);
  return {
    steps,
    payloads: await resolveBlobs(payloads, (hashes) => findBlobs(query, run.projectId, hashes), MAX_CONTENTS),
    isCut:
      steps.length === MAX_OBSERVATIONS ||
      (last?.weight ?? 0) > MAX_VALUES ||
      (last?.graph_weight ?? 0) > MAX_GRAPHS ||
      payloads.length === MAX_PAYLOADS,
  };
}

/** What an error that is not cut is shorter than. */
const UNBOUNDED = 2_147_483_647;

async function findPayloads(query: Query, run: Run): Promise<readonly PayloadContent[]> {
  const { rows } = await sql<PayloadContent>`
    select owner_id, part, event_id,
      ${bounded("value")}, ${bounded("attributes")}, ${bounded("tool_entry")},
      case when total is null then null else left(reasoning ->> 'text', ${MAX_VALUE}) end as reasoning
    from (
      select *, case when stored <= ${MAX_STORED} then sum(case when stored <= ${MAX_STORED} then octet_length(concat(value, attributes, tool_entry, reasoning)) end) over by_event end as total
      from (
        select *, sum(${storedBytes}) over by_event as stored
        from (
          select * from observability.payloads
          where ${isOfRun(run)}
          order by seq, event_id
          limit ${MAX_PAYLOADS}
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

function bounded(name: "value" | "attributes" | "tool_entry") {
  const column = sql.ref(name);
  return sql`
    case
      when ${column} is null then null
      when total is null then json_build_object('truncated', true, 'preview', '')
      when length(${column}::text) <= ${SHORT_PREVIEW} or (total <= ${MAX_VALUES} and length(${column}::text) <= ${MAX_VALUE}) then ${column}
      else json_build_object(
        'truncated', true,
        'characters', length(${column}::text),
        'preview', left(${column}::text, case when total <= ${MAX_VALUES} then ${PREVIEW}::int else ${SHORT_PREVIEW}::int end)
      )
    end as ${column}`;
}

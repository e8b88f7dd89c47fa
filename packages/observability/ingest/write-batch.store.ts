import { CompiledQuery, type Kysely, type Transaction } from "kysely";
import { MASKED } from "#contract.ts";
import type { ObservabilitySchema } from "#schema.ts";
import {
  BLOBS,
  DEAD_LETTERS,
  GRAPHS,
  OBSERVATIONS,
  PAYLOADS,
  PRODUCERS,
  SCORES,
  TRACES,
  type Columns,
  type EventTable,
  type WriteOf,
} from "#event-columns.ts";

import { ensureDays } from "#store/days.store.ts";
import { groupProjects } from "#store/project-groups.ts";

type Query = Transaction<ObservabilitySchema>;
type OfTrace = { readonly project_id: string; readonly trace_id: string };
type TraceDay = { readonly project_id: string; readonly id: string; readonly day: string };

export type TraceWrite = WriteOf<typeof TRACES>;
export type ObservationWrite = WriteOf<typeof OBSERVATIONS>;
export type PayloadWrite = WriteOf<typeof PAYLOADS>;
export type ProducerWrite = WriteOf<typeof PRODUCERS>;
export type DeadLetterWrite = WriteOf<typeof DEAD_LETTERS>;

/** The rows of a batch. In each list every key occurs once, in the order of the keys, so that two writers never wait for each other crosswise. */
export type BatchRows = {
  readonly traces: readonly TraceWrite[];
  readonly observations: readonly ObservationWrite[];
  readonly payloads: readonly PayloadWrite[];
  readonly blobs: readonly WriteOf<typeof BLOBS>[];
  /** Those that nobody may read any more, whether they are there already or come later. */
  readonly maskedContents?: readonly { readonly project_id: string; readonly sha256: string }[];
  readonly graphs: readonly WriteOf<typeof GRAPHS>[];
  readonly scores: readonly WriteOf<typeof SCORES>[];
  readonly deadLetters: readonly DeadLetterWrite[];
  readonly producers: readonly ProducerWrite[];
};

const DAY = { day: { type: "date" } };
/** An observation has the hour it counts for in a column; of a trace it follows from when it began. */
const HOUR_OF_TRACE = "date_bin('1 hour', t.sort_at, timestamptz '1970-01-01 00:00:00+00')";

/** What a row counted for and counts for now is to be counted anew. */
const markHours = `insert into observability.hourly_marks (project_id, day, hour)
  select project_id, day, hour from written
  union
  select project_id, day, left_hour from written where left_hour is not null`;

const upsertTraceRows = upsertTraces();

/**
 * Of everything but the traces, which come first: whoever has their days may write what belongs to them. The producers come last:
 * every replica that reads the same producer's events waits for that row.
 */
const upserts: readonly { readonly name: Exclude<keyof BatchRows, "traces">; readonly statement: string }[] = [
  { name: "observations", statement: upsertObservations() },
  { name: "payloads", statement: insertOnce("payloads", { ...columnsOf(PAYLOADS), ...DAY }) },
  {
    name: "blobs",
    statement: `${insertRows("blobs", columnsOf(BLOBS))}
on conflict (project_id, sha256) do update set used_at = excluded.used_at where excluded.used_at - t.used_at > interval '1 hour'`,
  },
  {
    name: "maskedContents",
    statement: `${insertRows("blobs", columnsOf(BLOBS))}
on conflict (project_id, sha256) do update set content = excluded.content where t.content::text <> excluded.content::text`,
  },
  { name: "graphs", statement: insertOnce("graphs", columnsOf(GRAPHS)) },
  {
    name: "scores",
    // A score is given to a trace that may be long over.
    statement: `with written as (
  ${insertOnce("scores", columnsOf(SCORES))} returning t.project_id, t.trace_id
)
insert into observability.trace_marks (project_id, trace_id) select distinct project_id, trace_id from written`,
  },
  { name: "deadLetters", statement: insertOnce("dead_letters", columnsOf(DEAD_LETTERS)) },
  {
    name: "producers",
    statement: `${insertRows("producers", columnsOf(PRODUCERS))}
on conflict (project_id, producer_id) do update set
  first_event_at = least(t.first_event_at, excluded.first_event_at),
  last_event_at = greatest(t.last_event_at, excluded.last_event_at),
  heard_at = excluded.heard_at,
  gone_at = null,
  seen = t.seen + excluded.seen,
  announced_seq = greatest(t.announced_seq, excluded.announced_seq),
  hello = coalesce(t.hello, excluded.hello),
  dropped = case when excluded.dropped_seq > coalesce(t.dropped_seq, 0) then excluded.dropped else t.dropped end,
  dropped_seq = greatest(t.dropped_seq, excluded.dropped_seq),
  ended_at = greatest(t.ended_at, excluded.ended_at)`,
  },
];

/**
 * Tells the days of all traces, which are held until the transaction ends: writers hold a trace together, and nobody can delete it
 * meanwhile. Only those whose row changes are written: of most traces a batch has nothing but observations. One that somebody else
 * has made since it was looked for is written too, and so has its day told. The second parameter names the projects: a row that is locked
 * can be looked for on one node.
 */
function upsertTraces(): string {
  const saysMore = ["start_event", "end_event", ...Object.keys(TRACES.once), ...Object.keys(TRACES.latest)].map(
    (column) => `given.${column} is not null`,
  );
  const { project_id, id } = TRACES.required;
  const rows = `(
    select given.* from ${unfolded(columnsOf(TRACES))}
    left join known on known.project_id = given.project_id and known.id = given.id
    where known.id is null or given.seen_at < known.seen_at or ${saysMore.join(" or ")}
  ) as given`;
  return `with known as materialized (
  select given.project_id, given.id, held.day, held.seen_at
  from ${unfolded({ project_id, id })}
  cross join lateral (
    select t.day, t.seen_at from observability.traces as t
    where t.project_id = any($2::uuid[]) and t.project_id = given.project_id and t.id = given.id for key share
  ) as held
), ${upsertHalves(TRACES, { name: "traces", columns: columnsOf(TRACES), key: "project_id, id", hour: HOUR_OF_TRACE, rows })}
  returning t.project_id, t.id, t.day, ${HOUR_OF_TRACE} as hour, t.left_hour
), marked as (
  ${markHours}
), marked_traces as (
  insert into observability.trace_marks (project_id, trace_id)
  select project_id, id from known
  union
  select project_id, id from written
)
select project_id, id, day::text as day from known
union
select project_id, id, day::text as day from written`;
}

function upsertObservations(): string {
  const columns = { ...columnsOf(OBSERVATIONS), ...DAY };
  return `with ${upsertHalves(OBSERVATIONS, { name: "observations", columns, key: "project_id, trace_id, id, day", hour: "t.hour" })}
  where ${newer("start")} or ${newer("end")} or excluded.seen_at < t.seen_at
  returning t.project_id, t.day, t.hour as hour, t.left_hour
)
${markHours}`;
}

type Halves = {
  readonly name: string;
  readonly columns: Columns;
  readonly key: string;
  /** The hour for which a row counts, before its change. */
  readonly hour: string;
  readonly rows?: string;
};

/**
 * Each half of a row belongs to one event. Of two events for the same half the one with the higher `(seq, event)` stays,
 * whichever comes first: that makes the statement indifferent to order and repetition. Nothing is looked up: how to find a row
 * would be planned by statistics, which a table that fills up has not.
 */
function upsertHalves(table: EventTable, { name, columns, key, hour, rows }: Halves): string {
  const assignments = [
    "seen_at = least(t.seen_at, excluded.seen_at)",
    `left_hour = ${hour}`,
    ...(["start", "end"] as const).flatMap((half) =>
      Object.keys(table[half] ?? {}).map((column) => `${column} = case when ${newer(half)} then excluded.${column} else t.${column} end`),
    ),
    ...Object.keys(table.once ?? {}).map((column) => `${column} = least(t.${column}, excluded.${column})`),
    ...Object.keys(table.latest ?? {}).map((column) => `${column} = greatest(t.${column}, excluded.${column})`),
  ];
  return `written as (
  ${insertRows(name, columns, rows)}
  on conflict (${key}) do update set
    ${assignments.join(",\n    ")}`;
}

function newer(half: "start" | "end"): string {
  const given = `excluded.${half}_event is not null`;
  const later = `(excluded.${half}_seq, excluded.${half}_event) > (t.${half}_seq, t.${half}_event)`;
  return `(${given} and (t.${half}_event is null or ${later}))`;
}

function insertOnce(table: string, columns: Columns): string {
  return `${insertRows(table, columns)}\non conflict do nothing`;
}

function insertRows(table: string, columns: Columns, rows = unfolded(columns)): string {
  const names = Object.keys(columns).join(", ");
  return `insert into observability.${table} as t (${names})
select ${names} from ${rows}`;
}

/** All rows travel as one JSON parameter, which PostgreSQL unfolds; JSON values in it are stored as they are written. */
function unfolded(columns: Columns): string {
  const typed = Object.entries(columns).map(([name, { type }]) => `${name} ${type}`);
  return `json_to_recordset($1) as given (${typed.join(", ")})`;
}

function columnsOf(table: EventTable): Columns {
  const groups: readonly (Columns | undefined)[] = [table.required, table.optional, table.start, table.end, table.once, table.latest];
  return Object.assign({}, ...groups);
}

/**
 * Writes a batch in one transaction, one statement per table. Writing the same rows again, or rows of the same events
 * in another order or in other batches, ends in the same tables.
 */
export async function writeBatch(query: Kysely<ObservabilitySchema>, rows: BatchRows): Promise<void> {
  try {
    await writeOnce(query, rows);
  } catch (error) {
    if (!isDayMissing(error)) {
      throw error;
    }
    // Partitions are made ahead, but a missing one must cost no event.
    await ensureDays(query);
    await writeOnce(query, rows);
  }
}

async function writeOnce(query: Kysely<ObservabilitySchema>, rows: BatchRows): Promise<void> {
  const groups = await groupProjects(
    query,
    rows.traces.map((row) => row.project_id),
  );
  await query.transaction().execute(async (transaction) => {
    const days = new Map<string, string>();
    for (const projects of groups) {
      const traces = groups.length === 1 ? rows.traces : rows.traces.filter((row) => projects.includes(row.project_id));
      for (const { project_id: projectId, id, day } of await run<TraceDay>(transaction, upsertTraceRows, traces, projects)) {
        days.set(keyOf(projectId, id), day);
      }
    }
    // Told in place: they are made for this, and copying their many columns took a tenth of the time.
    const ofDay = <Row extends OfTrace>(row: Row) => Object.assign(row, { day: days.get(keyOf(row.project_id, row.trace_id)) });
    const { observations, payloads, maskedContents = [], ...others } = rows;
    const given = {
      ...others,
      maskedContents: maskedContentRows(maskedContents),
      observations: observations.map(ofDay),
      payloads: payloads.map(ofDay),
    };
    for (const { name, statement } of upserts) {
      await run(transaction, statement, given[name]);
    }
  });
}

/** Each row once and in the order of the keys, like all rows. */
function maskedContentRows(contents: NonNullable<BatchRows["maskedContents"]>) {
  const rows = new Map(contents.map((row) => [keyOf(row.project_id, row.sha256), { ...row, content: MASKED }]));
  return [...rows].toSorted(([left], [right]) => (left < right ? -1 : 1)).map(([, row]) => row);
}

function keyOf(projectId: string, traceId: string): string {
  return `${projectId}|${traceId}`;
}

async function run<Row>(
  transaction: Query,
  statement: string,
  rows: readonly object[],
  ...others: readonly unknown[]
): Promise<readonly Row[]> {
  if (rows.length === 0) {
    return [];
  }
  const result = await transaction.executeQuery<Row>(CompiledQuery.raw(statement, [JSON.stringify(rows), ...others]));
  return result.rows;
}

/** "no partition of relation found for row" is a violated check without the name of a constraint. */
function isDayMissing(error: unknown): boolean {
  return (
    error instanceof Error && "code" in error && error.code === "23514" && (!("constraint" in error) || error.constraint === undefined)
  );
}

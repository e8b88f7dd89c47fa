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
type HeldTrace = TraceDay & { readonly is_earlier: boolean };
type WrittenHour = { readonly project_id: string; readonly day: string; readonly hour: string; readonly left_hour: string | null };

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

const holdTraceRows = holdTraces();
const upsertTraceRows = upsertTraces();
const upsertObservationRows = upsertObservations();
const insertScoreRows = `${insertOnce("scores", columnsOf(SCORES))} returning t.project_id, t.trace_id`;

const UUID = { type: "uuid" };
const OF_HOUR = { project_id: UUID, day: { type: "date" }, hour: { type: "timestamptz" } };
const OF_TRACE = { project_id: UUID, trace_id: UUID };
const insertHourMarks = insertRows("hourly_marks", OF_HOUR);
const insertTraceMarks = insertRows("trace_marks", OF_TRACE);

/**
 * Writes what leaves no marks. The producers come last: every replica that reads the same producer's events waits for that row.
 */
const upserts: readonly { readonly name: Exclude<keyof BatchRows, "traces" | "observations" | "scores">; readonly statement: string }[] = [
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
 * Tells the days of the traces that are there, which are held until the transaction ends: writers hold a trace together, and nobody can
 * delete it meanwhile. The second parameter names the projects: a row that is locked can be looked for on one node.
 */
function holdTraces(): string {
  const { project_id, id } = TRACES.required;
  return `select given.project_id, given.id, held.day::text as day, given.seen_at < held.seen_at as is_earlier
from ${unfolded({ project_id, id, seen_at: { type: "timestamptz" } })}
cross join lateral (
  select t.day, t.seen_at from observability.traces as t
  where t.project_id = any($2::uuid[]) and t.project_id = given.project_id and t.id = given.id for key share
) as held`;
}

/** What of a trace's row changes it. Most traces of a batch have nothing but observations. */
const tracesSay = ["start_event", "end_event", ...Object.keys(TRACES.once), ...Object.keys(TRACES.latest)] as readonly (keyof TraceWrite)[];

/** One that somebody else has made since it was looked for is written too, and so has its day told. */
function upsertTraces(): string {
  return `${upsertHalves(TRACES, { name: "traces", columns: columnsOf(TRACES), key: "project_id, id", hour: HOUR_OF_TRACE })}
  returning t.project_id, t.id, t.day::text as day, (${HOUR_OF_TRACE})::text as hour, t.left_hour::text as left_hour`;
}

function upsertObservations(): string {
  const columns = { ...columnsOf(OBSERVATIONS), ...DAY };
  return `with written as (
  ${upsertHalves(OBSERVATIONS, { name: "observations", columns, key: "project_id, trace_id, id, day", hour: "t.hour" })}
  where ${newer("start")} or ${newer("end")} or excluded.seen_at < t.seen_at
  returning t.project_id, t.day, t.hour, t.left_hour
)
select distinct project_id, day::text as day, hour::text as hour, left_hour::text as left_hour from written`;
}

type Halves = {
  readonly name: string;
  readonly columns: Columns;
  readonly key: string;
  /** The hour for which a row counts, before its change. */
  readonly hour: string;
};

/**
 * Each half of a row belongs to one event. Of two events for the same half the one with the higher `(seq, event)` stays,
 * whichever comes first: that makes the statement indifferent to order and repetition. Nothing is looked up: how to find a row
 * would be planned by statistics, which a table that fills up has not.
 */
function upsertHalves(table: EventTable, { name, columns, key, hour }: Halves): string {
  const assignments = [
    "seen_at = least(t.seen_at, excluded.seen_at)",
    `left_hour = ${hour}`,
    ...(["start", "end"] as const).flatMap((half) =>
      Object.keys(table[half] ?? {}).map((column) => `${column} = case when ${newer(half)} then excluded.${column} else t.${column} end`),
    ),
    ...Object.keys(table.once ?? {}).map((column) => `${column} = least(t.${column}, excluded.${column})`),
    ...Object.keys(table.latest ?? {}).map((column) => `${column} = greatest(t.${column}, excluded.${column})`),
  ];
  return `${insertRows(name, columns)}
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

function insertRows(table: string, columns: Columns): string {
  const names = Object.keys(columns).join(", ");
  return `insert into observability.${table} as t (${names})
select ${names} from ${unfolded(columns)}`;
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
 * Writes a batch in one transaction. Writing the same rows again, or rows of the same events in another order or in other batches,
 * ends in the same tables. No statement uses what another part of itself has written: of that Citus sends every node a copy, and a node
 * that is away would stop all writing.
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
    const { known, written } = await writeTraces(transaction, rows.traces, groups);
    const days = new Map([...known, ...written].map(({ project_id: projectId, id, day }) => [keyOf(projectId, id), day]));
    // Told in place: they are made for this, and copying their many columns took a tenth of the time.
    const ofDay = <Row extends OfTrace>(row: Row) => Object.assign(row, { day: days.get(keyOf(row.project_id, row.trace_id)) });
    const { observations, payloads, scores, maskedContents = [], ...others } = rows;
    const counted = await run<WrittenHour>(transaction, upsertObservationRows, observations.map(ofDay));
    await run(transaction, insertHourMarks, hoursOf([...written, ...counted]));
    // A score is given to a trace that may be long over.
    const scored = await run<OfTrace>(transaction, insertScoreRows, scores);
    const seen = [...known, ...written].map(({ project_id, id }) => ({ project_id, trace_id: id }));
    await run(
      transaction,
      insertTraceMarks,
      distinct([...seen, ...scored], (row) => keyOf(row.project_id, row.trace_id)),
    );
    const given = { ...others, maskedContents: maskedContentRows(maskedContents), payloads: payloads.map(ofDay) };
    for (const { name, statement } of upserts) {
      await run(transaction, statement, given[name]);
    }
  });
}

/** The traces come first: whoever has their days may write what belongs to them. */
async function writeTraces(transaction: Query, traces: readonly TraceWrite[], groups: readonly (readonly string[])[]) {
  const known: HeldTrace[] = [];
  for (const projects of groups) {
    const own = groups.length === 1 ? traces : traces.filter((row) => projects.includes(row.project_id));
    const keys = own.map(({ project_id, id, seen_at }) => ({ project_id, id, seen_at }));
    known.push(...(await run<HeldTrace>(transaction, holdTraceRows, keys, projects)));
  }
  const unchanged = new Set(known.filter((trace) => !trace.is_earlier).map(({ project_id: projectId, id }) => keyOf(projectId, id)));
  const changed = traces.filter(
    (row) => !unchanged.has(keyOf(row.project_id, row.id)) || tracesSay.some((column) => (row[column] ?? null) !== null),
  );
  return { known, written: await run<WrittenHour & TraceDay>(transaction, upsertTraceRows, changed) };
}

/** What rows counted for and count for now, which is to be counted anew. */
function hoursOf(rows: readonly WrittenHour[]) {
  const hours = rows.flatMap(({ project_id, day, hour, left_hour }) =>
    [hour, ...(left_hour === null ? [] : [left_hour])].map((of) => ({ project_id, day, hour: of })),
  );
  return distinct(hours, ({ project_id, day, hour }) => `${project_id}|${day}|${hour}`);
}

function distinct<Row>(rows: readonly Row[], nameOf: (row: Row) => string): readonly Row[] {
  return [...new Map(rows.map((row) => [nameOf(row), row])).values()];
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

import {
  BLOB_REFERENCES,
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
} from "#event-columns.ts";

/** What is written without leaving marks, as a batch names it. */
export type UnmarkedRows =
  | "payloads"
  | "blobs"
  | "maskedContents"
  | "blobReferences"
  | "releasedBlobs"
  | "textMarks"
  | "graphs"
  | "deadLetters"
  | "producers";

/** A statement that is given any number of rows, as an array for each of their columns, in this order. */
export type RowsStatement = { readonly text: string; readonly columns: Columns };

const DAY = { day: { type: "date" } };
/** An observation has the hour it counts for in a column; of a trace it follows from when it began. */
const HOUR_OF_TRACE = "date_bin('1 hour', t.sort_at, timestamptz '1970-01-01 00:00:00+00')";

const UUID = { type: "uuid" };
const UUIDS = { type: "uuid[]" };
const ONCE = "on conflict do nothing";

/** The statements of a batch. A last parameter of `lockTraces` names the projects of its rows. */
export const BATCH_STATEMENTS = {
  lockTraces: lockTraces(),
  upsertTraces: upsertTraces(),
  upsertObservations: upsertObservations(),
  insertHourMarks: insertRows("hourly_marks", { project_id: UUID, ...DAY, hour: { type: "timestamptz" } }),
  insertTraceMarks: insertRows("trace_marks", { project_id: UUID, trace_id: UUID }),
  insertScores: insertRows("scores", columnsOf(SCORES), `${ONCE} returning t.project_id, t.trace_id`),
  unmarked: unmarked(),
} as const;

/** Statements in the order in which they are to run. The producers come last: every replica that reads the same producer's events waits for that row. */
function unmarked(): readonly { readonly name: UnmarkedRows; readonly statement: RowsStatement }[] {
  return [
    { name: "payloads", statement: insertRows("payloads", { ...columnsOf(PAYLOADS), ...DAY }, ONCE) },
    {
      name: "blobs",
      statement: insertRows(
        "blobs",
        columnsOf(BLOBS),
        // Changes nothing, but holds one that is there: whoever is about to delete it sees afterwards what this batch says of it.
        "on conflict (project_id, sha256) do update set content = t.content where false",
      ),
    },
    {
      name: "maskedContents",
      statement: insertRows(
        "blobs",
        columnsOf(BLOBS),
        "on conflict (project_id, sha256) do update set content = excluded.content where t.content::text <> excluded.content::text",
      ),
    },
    { name: "blobReferences", statement: insertRows("blob_references", columnsOf(BLOB_REFERENCES)) },
    {
      name: "releasedBlobs",
      statement: insertRows(
        "released_blobs",
        { project_id: UUID, content: UUID },
        "on conflict (project_id, content) do update set released_at = excluded.released_at, told_version = null, told_at = null",
      ),
    },
    { name: "textMarks", statement: insertRows("text_marks", { project_id: UUID, trace_id: UUID, events: UUIDS, failed: UUIDS }) },
    { name: "graphs", statement: insertRows("graphs", columnsOf(GRAPHS), ONCE) },
    { name: "deadLetters", statement: insertRows("dead_letters", columnsOf(DEAD_LETTERS), ONCE) },
    {
      name: "producers",
      statement: insertRows(
        "producers",
        columnsOf(PRODUCERS),
        `on conflict (project_id, producer_id) do update set
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
      ),
    },
  ];
}

/**
 * Tells the days of the traces that are there, which are locked until the transaction ends: writers share the lock of a trace, and nobody can
 * delete it meanwhile. The last parameter names the projects: a row that is locked can be looked for on one node.
 */
function lockTraces(): RowsStatement {
  const { project_id, id } = TRACES.required;
  const columns = { project_id, id, seen_at: { type: "timestamptz" } };
  const text = `select given.project_id, given.id, locked.day::text as day, given.seen_at < locked.seen_at as is_earlier
from ${unfolded(columns)}
cross join lateral (
  select t.day, t.seen_at from observability.traces as t
  where t.project_id = any($${Object.keys(columns).length + 1}::uuid[]) and t.project_id = given.project_id and t.id = given.id for key share
) as locked`;
  return { text, columns };
}

/** One that somebody else has made since it was looked for is written too, and so has its day told. */
function upsertTraces(): RowsStatement {
  const { text, columns } = upsertHalves(TRACES, {
    name: "traces",
    columns: columnsOf(TRACES),
    key: "project_id, id",
    hour: HOUR_OF_TRACE,
  });
  const returned = `t.project_id, t.id, t.day::text as day, (${HOUR_OF_TRACE})::text as hour, t.left_hour::text as left_hour`;
  return { text: `${text}\n  returning ${returned}`, columns };
}

function upsertObservations(): RowsStatement {
  const { text: upsert, columns } = upsertHalves(OBSERVATIONS, {
    name: "observations",
    columns: { ...columnsOf(OBSERVATIONS), ...DAY },
    key: "project_id, trace_id, id, day",
    hour: "t.hour",
  });
  const text = `with written as (
  ${upsert}
  where ${newer("start")} or ${newer("end")} or excluded.seen_at < t.seen_at
  returning t.project_id, t.day, t.hour, t.left_hour
)
select distinct project_id, day::text as day, hour::text as hour, left_hour::text as left_hour from written`;
  return { text, columns };
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
function upsertHalves(table: EventTable, { name, columns, key, hour }: Halves): RowsStatement {
  const assignments = [
    "seen_at = least(t.seen_at, excluded.seen_at)",
    `left_hour = ${hour}`,
    ...(["start", "end"] as const).flatMap((half) =>
      Object.keys(table[half] ?? {}).map((column) => `${column} = case when ${newer(half)} then excluded.${column} else t.${column} end`),
    ),
    ...Object.keys(table.once ?? {}).map((column) => `${column} = least(t.${column}, excluded.${column})`),
    ...Object.keys(table.latest ?? {}).map((column) => `${column} = greatest(t.${column}, excluded.${column})`),
  ];
  return insertRows(name, columns, `  on conflict (${key}) do update set\n    ${assignments.join(",\n    ")}`);
}

function newer(half: "start" | "end"): string {
  const given = `excluded.${half}_event is not null`;
  const later = `(excluded.${half}_seq, excluded.${half}_event) > (t.${half}_seq, t.${half}_event)`;
  return `(${given} and (t.${half}_event is null or ${later}))`;
}

/** @param end What stands after the rows. */
function insertRows(table: string, columns: Columns, end = ""): RowsStatement {
  const names = Object.keys(columns).join(", ");
  return { text: `insert into observability.${table} as t (${names})\nselect ${names} from ${unfolded(columns)}\n${end}`, columns };
}

/** Each column travels as an array of texts: PostgreSQL reads them in two thirds of the time that it takes for the same as JSON. */
function unfolded(columns: Columns): string {
  const names = Object.keys(columns);
  const typed = Object.entries(columns).map(([name, { type }]) => (type === "text" ? `told.${name}` : `told.${name}::${type}`));
  const arrays = names.map((_name, index) => `$${index + 1}::text[]`);
  return `(select ${typed.join(", ")} from unnest(${arrays.join(", ")}) as told (${names.join(", ")})) as given`;
}

function columnsOf(table: EventTable): Columns {
  const groups: readonly (Columns | undefined)[] = [table.required, table.optional, table.start, table.end, table.once, table.latest];
  return Object.assign({}, ...groups);
}

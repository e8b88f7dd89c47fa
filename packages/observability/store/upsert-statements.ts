export type Columns = Readonly<Record<string, string>>;

type HalvesOptions = {
  readonly table: string;
  readonly key: Columns;
  /** Whether the rows lie in the partition of their trace's day. */
  readonly isOfDay?: boolean;
  readonly start: Columns;
  readonly end: Columns;
  /** Columns that an event of its own writes, once in the life of a row; were there two, the lower value stays. */
  readonly once?: Columns;
};

/**
 * Makes rows for the traces that have none, and holds all of them until the transaction ends: two writers of one trace go
 * one after the other, so that each sees what the other has left.
 */
export const holdTraces = `with made as (
  ${insertRows("traces", { project_id: "uuid", id: "uuid", seen_at: "timestamptz" })}
  on conflict (project_id, id) do update set seen_at = t.seen_at where false
  returning t.project_id, t.day, ${hourOf("traces")} as hour
)
insert into observability.hourly_marks (project_id, day, hour) select distinct project_id, day, hour from made`;

/**
 * Each half of a row belongs to one event. Of two events for the same half the one with the higher `(seq, event)` stays,
 * whichever comes first: that makes the statement indifferent to order and repetition. The hours that a row counted for and
 * counts for now are marked, to be counted anew.
 */
export function upsertHalves({ table, key, isOfDay = false, start, end, once = {} }: HalvesOptions): string {
  const newerStart = newer("start");
  const newerEnd = newer("end");
  const assignments = [
    "seen_at = least(t.seen_at, excluded.seen_at)",
    ...Object.keys(start).map((column) => `${column} = case when ${newerStart} then excluded.${column} else t.${column} end`),
    ...Object.keys(end).map((column) => `${column} = case when ${newerEnd} then excluded.${column} else t.${column} end`),
    ...Object.keys(once).map((column) => `${column} = least(t.${column}, excluded.${column})`),
  ];
  const changes = [
    newerStart,
    newerEnd,
    "excluded.seen_at < t.seen_at",
    ...Object.keys(once).map((column) => `excluded.${column} is not null`),
  ];
  const insert = isOfDay ? insertRowsOfDay : insertRows;
  const keys = [...Object.keys(key), ...(isOfDay ? ["day"] : [])];
  return `with before as (
  select given.project_id, known.day, known.hour
  from (${select(key, isOfDay)} offset 0) as given
  cross join lateral (
    select t.day, ${hourOf(table)} as hour from observability.${table} as t
    where ${keys.map((column) => `t.${column} = given.${column}`).join(" and ")} limit 1
  ) as known
), written as (
  ${insert(table, { ...key, seen_at: "timestamptz", ...start, ...end, ...once })}
  on conflict (${keys.join(", ")}) do update set
    ${assignments.join(",\n    ")}
  where ${changes.join(" or ")}
  returning t.project_id, t.day, ${hourOf(table)} as hour
)
insert into observability.hourly_marks (project_id, day, hour)
select project_id, day, hour from written
union
select project_id, day, hour from before`;
}

/** An observation has the hour it counts for in a column; of a trace it follows from when it began. */
function hourOf(table: string): string {
  return table === "traces" ? "date_bin('1 hour', t.sort_at, timestamptz '1970-01-01 00:00:00+00')" : "t.hour";
}

function newer(half: "start" | "end"): string {
  const given = `excluded.${half}_event is not null`;
  const later = `(excluded.${half}_seq, excluded.${half}_event) > (t.${half}_seq, t.${half}_event)`;
  return `(${given} and (t.${half}_event is null or ${later}))`;
}

export function insertOnce(table: string, columns: Columns): string {
  return `${insertRows(table, columns)}\non conflict do nothing`;
}

export function insertRows(table: string, columns: Columns): string {
  return `insert into observability.${table} as t (${Object.keys(columns).join(", ")})
${select(columns, false)}`;
}

/**
 * Rows that belong to a trace take its day. The traces of the batch were written in the same transaction, which holds their
 * rows until it ends: nobody can give them another day or delete them meanwhile. A trace that is missing is an error.
 */
export function insertRowsOfDay(table: string, columns: Columns): string {
  return `insert into observability.${table} as t (${Object.keys(columns).join(", ")}, day)
${select(columns, true)}`;
}

/**
 * All rows travel as one JSON parameter, which PostgreSQL unfolds; JSON values in it are stored as they are written. Days are
 * looked up row by row, and rows that are there already too: a join would be planned by statistics, which a table that fills
 * up has not, and may read all of it.
 */
function select(columns: Columns, withDay: boolean): string {
  const names = Object.keys(columns).map((name) => `given.${name}`);
  const typed = Object.entries(columns).map(([name, type]) => `${name} ${type}`);
  const day =
    "(select trace.day from observability.traces as trace where trace.project_id = given.project_id and trace.id = given.trace_id) as day";
  return `select ${[...names, ...(withDay ? [day] : [])].join(", ")} from json_to_recordset($1) as given (${typed.join(", ")})`;
}

export type Columns = Readonly<Record<string, string>>;

type HalvesOptions = {
  readonly table: string;
  readonly key: Columns;
  readonly start: Columns;
  readonly end: Columns;
  /** Columns that an event of its own writes, once in the life of a row; were there two, the lower value stays. */
  readonly once?: Columns;
};

/**
 * Tells the days of all traces, which are held until the transaction ends: writers hold a trace together, and nobody can delete it
 * meanwhile. Only those whose row changes are written: of most traces a batch has nothing but observations. One that somebody else
 * has made since it was looked for is written too, and so has its day told.
 */
export function upsertTraces(options: Omit<HalvesOptions, "table">): string {
  const { key, start, end, once = {} } = options;
  const saysMore = ["start_event", "end_event", ...Object.keys(once)].map((column) => `given.${column} is not null`);
  const rows = `(
    select given.* from ${unfolded({ ...key, seen_at: "timestamptz", ...start, ...end, ...once })}
    left join known on known.project_id = given.project_id and known.id = given.id
    where known.id is null or given.seen_at < known.seen_at or ${saysMore.join(" or ")}
  ) as given`;
  return `with known as materialized (
  select given.project_id, given.id, held.day, held.seen_at
  from ${unfolded(key)}
  cross join lateral (
    select t.day, t.seen_at from observability.traces as t where t.project_id = given.project_id and t.id = given.id for key share
  ) as held
), ${upsertHalves({ table: "traces", ...options, rows })}
  returning t.project_id, t.id, t.day, ${hourOf("traces")} as hour, t.left_hour
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

export function upsertOfDay(options: HalvesOptions): string {
  const { table, key, once = {} } = options;
  const changes = [
    newer("start"),
    newer("end"),
    "excluded.seen_at < t.seen_at",
    ...Object.keys(once).map((column) => `excluded.${column} is not null`),
  ];
  return `with ${upsertHalves({ ...options, key: { ...key, day: "date" } })}
  where ${changes.join(" or ")}
  returning t.project_id, t.day, ${hourOf(table)} as hour, t.left_hour
)
${markHours}`;
}

/** What a row counted for and counts for now is to be counted anew. */
const markHours = `insert into observability.hourly_marks (project_id, day, hour)
  select project_id, day, hour from written
  union
  select project_id, day, left_hour from written where left_hour is not null`;

/**
 * Each half of a row belongs to one event. Of two events for the same half the one with the higher `(seq, event)` stays,
 * whichever comes first: that makes the statement indifferent to order and repetition. Nothing is looked up: how to find a row
 * would be planned by statistics, which a table that fills up has not.
 */
function upsertHalves({ table, key, start, end, once = {}, rows }: HalvesOptions & { readonly rows?: string }): string {
  const [newerStart, newerEnd] = [newer("start"), newer("end")];
  const assignments = [
    "seen_at = least(t.seen_at, excluded.seen_at)",
    `left_hour = ${hourOf(table)}`,
    ...Object.keys(start).map((column) => `${column} = case when ${newerStart} then excluded.${column} else t.${column} end`),
    ...Object.keys(end).map((column) => `${column} = case when ${newerEnd} then excluded.${column} else t.${column} end`),
    ...Object.keys(once).map((column) => `${column} = least(t.${column}, excluded.${column})`),
  ];
  return `written as (
  ${insertRows(table, { ...key, seen_at: "timestamptz", ...start, ...end, ...once }, rows)}
  on conflict (${Object.keys(key).join(", ")}) do update set
    ${assignments.join(",\n    ")}`;
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

export function insertRows(table: string, columns: Columns, rows = unfolded(columns)): string {
  const names = Object.keys(columns).join(", ");
  return `insert into observability.${table} as t (${names})
select ${names} from ${rows}`;
}

/** All rows travel as one JSON parameter, which PostgreSQL unfolds; JSON values in it are stored as they are written. */
function unfolded(columns: Columns): string {
  const typed = Object.entries(columns).map(([name, type]) => `${name} ${type}`);
  return `json_to_recordset($1) as given (${typed.join(", ")})`;
}

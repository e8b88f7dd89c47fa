import { randomBytes } from "node:crypto";
import { sql, type RawBuilder } from "kysely";
import type { ChartMeasure } from "#contract.ts";
import type { Query } from "#schema.ts";
import { hasRoleIn, type InProject } from "#store/reader.ts";
import { boundSearch } from "#query/list/bound-search.ts";
import { TEXT_COLUMNS } from "#query/list/field-values.ts";
import { conditionsOf, type ListTerm } from "#query/list/trace-conditions.ts";
import { bringUpToDate } from "#query/list/up-to-date.ts";

type Options = InProject & {
  readonly terms: readonly ListTerm[];
  readonly now: Date;
  readonly from: Date;
  /** Exclusive. */
  readonly to: Date;
  readonly stepHours: number;
  /** A text field of the query, or `status`. */
  readonly by: string | undefined;
  readonly top: ChartMeasure;
  readonly groups: number;
};

export type TraceFiguresRow = {
  /** Null: of the whole time. */
  readonly time: Date | null;
  /** Null: of all groups. */
  readonly key: string | null;
  /** How many groups there are. */
  readonly groups: number | null;
  readonly count: number;
  readonly failures: number;
  readonly durations: Percentiles;
  readonly mean_duration: number | null;
  readonly waits: Percentiles;
  readonly mean_wait: number | null;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cost: number | null;
};
type Percentiles = readonly [number, number, number] | null;

/** The newest traces are read, so many at the most. */
export const NEWEST = 100_000;
const GROUPS_OVER_TIME = 10;

/**
 * Figures of the traces that a query finds, exact, read from the list's entries: of all, by step, and of the first groups.
 *
 * @throws a database's error with the code `57014` when it takes too long.
 */
export async function readTraceFigures(query: Query, options: Options) {
  const { projectId, reader, terms, now, from, to, stepHours, by, top, groups } = options;
  const { isCounted } = await bringUpToDate(query, projectId);
  const conditions = await conditionsOf(terms, { query, projectId, now, isCounted, isByTime: true });
  const { said, key, nth } = valuesOf(by);
  // Sorted by place, a number, and not by key.
  const ofGroups = sql`
    union all
    select time, min(key) as key, min(groups) as groups, place, ${figures} from member join ranked using (key)
    where place <= ${groups} group by grouping sets ((place), (place, time))
    having grouping(time) = 1 or place <= ${GROUPS_OVER_TIME}`;
  const statement = sql<TraceFiguresRow>`
    with member as materialized (
      select date_bin(${stepHours} * interval '1 hour', entry.sort_at, timestamptz '1970-01-01 00:00:00+00') as time, entry.status,
        entry.duration_ms, entry.time_to_first_token_ms, entry.input_tokens, entry.output_tokens, entry.cost,
        ${key} as key, ${nth} as nth
      from (
        select entry.sort_at, entry.status, entry.duration_ms, entry.time_to_first_token_ms, entry.input_tokens, entry.output_tokens,
          entry.cost, ${said} as said
        from observability.trace_entries as entry
        where entry.project_id = ${projectId}::uuid and entry.sort_at >= ${from} and entry.sort_at < ${to}
          and ${sql.join([hasRoleIn(reader, "viewer", projectId), ...conditions], sql` and `)}
        order by entry.sort_at desc, entry.trace_id desc limit ${NEWEST}
      ) as entry
    ), ranked as materialized (
      select key, row_number() over (order by ${RANKS[top]} desc nulls last, key) as place, count(*) over () as groups
      from member group by key
    )
    select time, null as key, null::bigint as groups, null::bigint as place, ${figures}
    from member where nth = 1 group by grouping sets ((), (time))
    ${by === undefined ? sql`` : ofGroups}
    order by place, time`;
  const rows = await query.transaction().execute(async (transaction) => {
    await boundSearch(transaction);
    return (await statement.execute(transaction)).rows;
  });
  return { rows, isCounted };
}

/**
 * Stands between the fields of a trace: a field is found in one text several times as fast as by going through an array.
 * A value may hold any character, so it is drawn anew by each process: no value has it.
 */
const SEPARATOR = sql`${`\u001F${randomBytes(6).toString("base64")}`}::text`;

/** What an entry has said, and of that each value, an empty one where there is none, with its number. */
function valuesOf(by: string | undefined): Readonly<Record<"said" | "key" | "nth", RawBuilder<unknown>>> {
  const column = by === "status" ? "status" : TEXT_COLUMNS[by ?? ""];
  if (by === undefined || column !== undefined) {
    const said = column === undefined ? sql`''` : sql`coalesce(${sql.ref(`entry.${column}`)}, '')`;
    return { said, key: sql`said`, nth: sql`1` };
  }
  const all = sql`${SEPARATOR} || array_to_string(entry.fields, ${SEPARATOR})`;
  return {
    // Each value with all fields behind it.
    said: sql`coalesce(nullif((string_to_array(${all}, ${SEPARATOR} || ${`${by}:`}))[2:], '{}'), array[''])`,
    key: sql`split_part(unnest(said), ${SEPARATOR}, 1)`,
    nth: sql`generate_series(1, cardinality(said))`,
  };
}

const percentiles = (column: string) => sql`percentile_cont(array[0.5, 0.95, 0.99]) within group (order by ${sql.ref(column)})`;
const tokens = (column: string) => sql`least(coalesce(sum(${sql.ref(column)}), 0), ${Number.MAX_SAFE_INTEGER})::bigint`;

const figures = sql`count(*) as count, count(*) filter (where status = 'failure') as failures,
  ${percentiles("duration_ms")} as durations, avg(duration_ms) as mean_duration,
  ${percentiles("time_to_first_token_ms")} as waits, avg(time_to_first_token_ms) as mean_wait,
  ${tokens("input_tokens")} as input_tokens, ${tokens("output_tokens")} as output_tokens, sum(cost) as cost`;

const percentile = (part: number, column: string) => sql`percentile_cont(${part}) within group (order by ${sql.ref(column)})`;

/** The number by which the first groups are chosen. A rate is highest where there is hardly anything, so that failures are counted instead. */
const RANKS: Readonly<Record<ChartMeasure, RawBuilder<unknown>>> = {
  traces: sql`count(*)`,
  error_rate: sql`count(*) filter (where status = 'failure')`,
  p50: percentile(0.5, "duration_ms"),
  p95: percentile(0.95, "duration_ms"),
  p99: percentile(0.99, "duration_ms"),
  cost: sql`sum(cost)`,
  tokens: sql`sum(coalesce(input_tokens, 0) + coalesce(output_tokens, 0))`,
  ttft_p50: percentile(0.5, "time_to_first_token_ms"),
  ttft_p95: percentile(0.95, "time_to_first_token_ms"),
};

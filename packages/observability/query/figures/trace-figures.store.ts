import { sql, type RawBuilder } from "kysely";
import type { ChartMeasure } from "#contract.ts";
import type { Query } from "#schema.ts";
import { hasRoleIn, type InProject } from "#store/reader.ts";
import { boundSearch } from "#query/list/bound-search.ts";
import { valuesOfField } from "#query/list/field-values.ts";
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
  const statement = sql<TraceFiguresRow>`
    with found as materialized (
      select date_bin(${stepHours} * interval '1 hour', entry.sort_at, timestamptz '1970-01-01 00:00:00+00') as time, entry.status,
        entry.duration_ms, entry.time_to_first_token_ms, entry.input_tokens, entry.output_tokens, entry.cost, ${valuesOf(by)} as keys
      from observability.trace_entries as entry
      where entry.project_id = ${projectId}::uuid and entry.sort_at >= ${from} and entry.sort_at < ${to}
        and ${sql.join([hasRoleIn(reader, "viewer", projectId), ...conditions], sql` and `)}
      order by entry.sort_at desc, entry.trace_id desc limit ${NEWEST}
    ), member as (
      select found.*, key from found cross join unnest(case when keys = '{}' then array[''] else keys end) as key
    ), ranked as (
      select key, row_number() over (order by ${RANKS[top]} desc nulls last, key) as place, count(*) over () as groups
      from member group by key
    )
    select time, null as key, null as groups, null as place, ${figures} from found group by grouping sets ((), (time))
    union all
    select time, key, groups, place, ${figures} from member join ranked using (key)
    where place <= ${groups} group by grouping sets ((key, groups, place), (key, groups, place, time))
    having grouping(time) = 1 or place <= ${GROUPS_OVER_TIME}
    order by place, time`;
  const rows = await query.transaction().execute(async (transaction) => {
    await boundSearch(transaction);
    return (await statement.execute(transaction)).rows;
  });
  return { rows, isCounted };
}

function valuesOf(by: string | undefined): RawBuilder<unknown> {
  if (by === undefined) {
    return sql`null::text[]`;
  }
  return by === "status" ? sql`array[entry.status]` : sql`array(${valuesOfField(by)})`;
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

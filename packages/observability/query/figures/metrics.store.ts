import { sql, type Kysely } from "kysely";
import type { ObservabilitySchema } from "#schema.ts";
import type { Counts, MetricsPoint } from "#contract.ts";
import { TIMED_NUMBERS, type TimedNumberName } from "#step-numbers.ts";
import { selectPercentile } from "#counting/duration-buckets.ts";
import { OTHER } from "#counting/hour-figures.store.ts";
import { pricedAs, selectCost, selectPrice } from "#prices/select-price.ts";
import { hasRoleIn, type Reader } from "#store/reader.ts";

type Query = Kysely<ObservabilitySchema>;

export type MetricsFilter = {
  readonly projectId: string;
  readonly reader: Reader;
  /** Whole hours; `to` is exclusive. */
  readonly from: Date;
  readonly to: Date;
  readonly kind: string | undefined;
  readonly name: string | undefined;
  readonly model: string | undefined;
};

export type Figures = Counts &
  Omit<MetricsPoint, "traces" | "observations"> & { readonly time: Date; readonly key: string | null; readonly is_trace: boolean };

/** Reads steps of so many hours, traces and observations apart. */
export function readSeries(query: Query, filter: MetricsFilter, stepHours: number): Promise<readonly Figures[]> {
  return read(query, filter, sql`date_bin(${stepHours} * interval '1 hour', hour, timestamptz '1970-01-01 00:00:00+00')`, sql`null`);
}

/** Reads the sums of the whole time. */
export function readTotal(query: Query, filter: MetricsFilter): Promise<readonly Figures[]> {
  return read(query, filter, sql`${filter.from}::timestamptz`, sql`null`);
}

export type GroupedBy = "kind" | "name" | "model" | "status" | "trace";

/** Reads groups of the whole time, by a property of the observations or by the traces' names; the largest first. A status groups both. */
export function readGroups(query: Query, filter: MetricsFilter, by: GroupedBy): Promise<readonly Figures[]> {
  const [column, counted] = by === "trace" ? (["name", TRACES] as const) : ([by, by === "status" ? EVERYTHING : OBSERVATIONS] as const);
  return read(query, filter, sql`${filter.from}::timestamptz`, sql.ref(column), { counted, limit: MAX_GROUPS });
}

const MAX_GROUPS = 50;
const EVERYTHING = sql<boolean>`true`;
const TRACES = sql<boolean>`kind = 'trace'`;
const OBSERVATIONS = sql<boolean>`kind <> 'trace'`;

type Groups = { readonly counted: Expression; readonly limit?: number };

async function read(
  query: Query,
  filter: MetricsFilter,
  time: Expression,
  key: Expression,
  { counted, limit }: Groups = { counted: EVERYTHING },
): Promise<readonly Figures[]> {
  const { projectId, reader, from, to, kind, name, model } = filter;
  const { rows } = await sql<Figures>`
    with chosen as (
      select *, ${time} as time, ${key}::text as key, kind = 'trace' as is_trace
      from observability.hourly
      where project_id = ${projectId} and hour >= ${from} and hour < ${to} and ${counted} and ${hasRoleIn(reader, "viewer", projectId)}
        and (kind = 'trace' or (
          kind = coalesce(${kind ?? null}::text, kind) and name = coalesce(${name ?? null}::text, name)
          and model = coalesce(${model ?? null}::text, model)
        ))
    ), named as (
      select distinct model from chosen where calls > 0
    ), points as (
      select named.model, price.valid_from
      from named
      join (
        select model, valid_from from observability.prices where project_id = ${projectId}
        union
        select model, valid_from from observability.default_prices
      ) as price on price.model in (${pricedAs(sql`named.model`)}, observability.priced_name(named.model))
    ), priced as (
      select points.model, points.valid_from, price.*,
        lead(points.valid_from, 1, 'infinity') over (partition by points.model order by points.valid_from) as valid_to
      from (select distinct * from points) as points
      cross join lateral ${selectPrice(sql`${projectId}::uuid`, sql`points.model`, sql`points.valid_from`)} as price
    ), summed as (
      select time, is_trace, key, coalesce(sum(observations) filter (where number = 'duration_ms'), 0)::bigint as count,
        coalesce(sum(observations) filter (where number = 'duration_ms' and status = 'failure'), 0)::bigint as failures,
        ${tokens("input_tokens")} as input_tokens, ${tokens("output_tokens")} as output_tokens, sum(calls)::bigint as calls,
        coalesce(sum(calls) filter (where priced.model is null and chosen.reported_cost is null), 0)::bigint as unpriced_calls,
        sum(${selectCost("chosen", "priced")}) filter (where calls > 0) as cost,
        ${sql.join(TIMED_NUMBERS.map((number) => sql`sum(total_ms) filter (where number = ${sql.lit(number)}) as ${sql.ref(number)}`))}
      from chosen
      left join priced on priced.model = chosen.model and chosen.hour >= priced.valid_from and chosen.hour < priced.valid_to
      group by time, is_trace, key
    ), held as (
      select time, is_trace, key, number, held.bucket, sum(held.count) as count
      from chosen cross join unnest(buckets, counts) as held (bucket, count)
      group by time, is_trace, key, number, held.bucket
    ), ranked as (
      select time, is_trace, key, number, bucket, sum(count) over (partition by time, is_trace, key, number order by bucket) as reached,
        sum(count) over (partition by time, is_trace, key, number) as timed
      from held
    ), spread as (
      select time, is_trace, key, number, max(timed) as timed, ${selectPercentile(0.5)} as p50_ms, ${selectPercentile(0.95)} as p95_ms, ${selectPercentile(0.99)} as p99_ms
      from ranked group by time, is_trace, key, number
    )
    select summed.*, lasted.p50_ms, lasted.p95_ms, lasted.p99_ms, summed.duration_ms / lasted.timed::double precision as mean_ms,
      jsonb_build_object('p50_ms', waited.p50_ms, 'p95_ms', waited.p95_ms, 'p99_ms', waited.p99_ms,
        'mean_ms', summed.time_to_first_token_ms / waited.timed::double precision) as time_to_first_token
    from summed
    left join spread as lasted on ${isSpreadOf("lasted", "duration_ms")}
    left join spread as waited on ${isSpreadOf("waited", "time_to_first_token_ms")}
    order by ${limit === undefined ? sql`summed.time, summed.is_trace` : sql`summed.is_trace, summed.key = ${OTHER}, summed.count desc, summed.key`}
    limit ${limit ?? null}::int`.execute(query);
  return rows;
}

export type Pending = {
  /** Hours that wait to be counted. */
  readonly pending: number;
  /** The hours among them that could not be counted and are tried again later. */
  readonly uncounted: number;
  /** Since when the first of these is tried in vain. */
  readonly since: Date | null;
};

/** Counts the hours of that time that are not in its figures, or not as they are now. */
export async function countPendingHours(query: Query, { projectId, reader, from, to }: MetricsFilter): Promise<Pending> {
  const isAsked = sql`project_id = ${projectId}::uuid and hour >= ${from} and hour < ${to} and ${hasRoleIn(reader, "viewer", projectId)}`;
  const { rows } = await sql<Pending>`
    select count(distinct hour) as pending, count(distinct hour) filter (where since is not null) as uncounted, min(since) as since
    from (
      select hour, null::timestamptz as since from observability.hourly_marks where ${isAsked}
      union all
      select hour, since from observability.uncounted_hours where ${isAsked}
    ) as waiting`.execute(query);
  return rows[0] ?? { pending: 0, uncounted: 0, since: null };
}

type Expression = ReturnType<typeof sql>;

function isSpreadOf(spread: string, number: TimedNumberName) {
  const column = (name: string) => sql.ref(`${spread}.${name}`);
  return sql`${column("number")} = ${sql.lit(number)} and ${column("time")} = summed.time and ${column("is_trace")} = summed.is_trace
    and ${column("key")} is not distinct from summed.key`;
}

function tokens(column: string) {
  return sql`least(sum(${sql.ref(column)}), ${Number.MAX_SAFE_INTEGER})::bigint`;
}

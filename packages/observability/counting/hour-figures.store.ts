import { sql, type Transaction } from "kysely";
import type { ObservabilitySchema } from "#schema.ts";
import { isLive, isOfLiveTrace } from "#store/live-traces.ts";
import { TIMED_NUMBERS, type TimedNumberName } from "#step-numbers.ts";
import { toBucket } from "./duration-buckets.ts";

/** An hour of a project, as texts of the database. */
export type ProjectHour = { readonly projectId: string; readonly day: string; readonly hour: string };

/** The name of everything that is too rare to be told apart. */
export const OTHER = "(other)";

/** How many pairs of name and model of one kind an hour distinguishes; the rarer ones are counted as one. */
const NAMES = 200;

/**
 * Counts the figures of an hour anew, in time that grows with its rows and not faster, however many names they have: nothing is joined,
 * names are ranked where they stand.
 */
export async function countFiguresOfHour(
  transaction: Transaction<ObservabilitySchema>,
  { projectId, day, hour }: ProjectHour,
): Promise<void> {
  const isOfDay = sql`row.project_id = ${projectId}::uuid and row.day = ${day}::date`;
  const isOfHour = sql`${isOfDay} and row.hour = ${hour}::timestamptz`;
  await sql`delete from observability.hourly as row where ${isOfHour}`.execute(transaction);
  // Steps of one kind that took the same time are one row before anything else is made of them: an hour has millions of steps.
  await sql`
    with fact as (
      select coalesce(row.kind, 'span') as kind, ${nameOf("name")} as name, ${nameOf("model")} as model, coalesce(row.end_status, 'running') as status,
        ${sql.join(TIMED_NUMBERS.map(withinReason))}, ${sql.join([...TOKENS, "reported_cost"].map((name) => sql.ref(`row.${name}`)))}
      from observability.observations as row where ${isOfHour} and ${isOfLiveTrace(sql`${projectId}::uuid`, "row.trace_id")}
      union all
      select 'trace', ${nameOf("name")}, '', row.status,
        ${sql.join(TIMED_NUMBERS.map((name) => (name === "duration_ms" ? DURATION_OF_TRACE : sql`null`)))}, null, null, null, null, null, null, null
      from observability.traces as row
      where ${isOfDay} and ${isLive("row")} and row.sort_at >= ${hour}::timestamptz and row.sort_at < ${hour}::timestamptz + interval '1 hour'
    ), counted as (
      select kind, name, model, status, reported_cost is not null as is_cost_reported,
        ${sql.join(TIMED_NUMBERS.map((name) => sql`${toBucket(sql.ref(name))}::smallint as ${bucketColumn(name)}`))},
        count(*) as observations, ${sql.join([...TIMED_NUMBERS, ...TOKENS, "reported_cost"].map((name) => sql`sum(${sql.ref(name)}) as ${sql.ref(name)}`))},
        count(*) filter (where input_tokens is not null or output_tokens is not null or reported_cost is not null) as calls
      from fact group by 1, 2, 3, 4, 5, ${sql.join(TIMED_NUMBERS.map((_name, index) => sql.lit(6 + index)))}
    ), bucketed as (
      select kind, name, model, status, is_cost_reported, timed.number, timed.bucket, sum(observations) as observations,
        coalesce(sum(timed.ms), 0) as total_ms, sum(reported_cost) filter (where timed.number = 'duration_ms') as reported_cost,
        ${sql.join([...TOKENS, "calls"].map(sumOfSteps))}
      from counted
      cross join lateral (
        values ${sql.join(TIMED_NUMBERS.map((name) => sql`(${sql.lit(name)}, ${bucketColumn(name)}, ${sql.ref(name)})`))}
      ) as timed (number, bucket, ms)
      where timed.number = 'duration_ms' or timed.bucket is not null
      group by 1, 2, 3, 4, 5, 6, 7
    ), weighed as (
      select *, sum(observations) filter (where number = 'duration_ms') over (partition by kind, name, model) as weight from bucketed
    ), ranked as (
      select *, dense_rank() over (partition by kind order by weight desc, name, model) <= ${NAMES} as is_told from weighed
    ), folded as (
      select kind, case when is_told then name else ${OTHER} end as name, case when is_told then model else ${OTHER} end as model, status, is_cost_reported, number, bucket,
        sum(observations)::bigint as observations, ${sql.join(SUMS.map((name) => sql`sum(${sql.ref(name)}) as ${sql.ref(name)}`))}
      from ranked group by 1, 2, 3, 4, 5, 6, 7
    )
    insert into observability.hourly (
      project_id, day, hour, kind, name, model, status, is_cost_reported, number, buckets, counts, observations, ${sql.join(SUMS.map((name) => sql.ref(name)))}
    )
    select ${projectId}::uuid, ${day}::date, ${hour}::timestamptz, kind, name, model, status, is_cost_reported, number,
      coalesce(array_agg(bucket) filter (where bucket is not null), '{}'), coalesce(array_agg(observations) filter (where bucket is not null), '{}'),
      sum(observations), sum(total_ms), sum(calls), sum(reported_cost), ${sql.join(TOKENS.map(withinWholeNumbers))}
    from folded group by kind, name, model, status, is_cost_reported, number`.execute(transaction);
}

const TOKENS = ["input_tokens", "uncached_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens", "reasoning_tokens"] as const;
const SUMS = ["total_ms", "calls", "reported_cost", ...TOKENS] as const;

/** Cuts a name to what the index takes. Its order is the same in every database and the quickest there is: it only decides between names as frequent. */
function nameOf(column: "name" | "model") {
  return sql`left(coalesce(${sql.ref(`row.${column}`)}, ''), 200) collate "C"`;
}

/** Without a case, greatest() would make a duration of 0 out of what has not ended. */
const DURATION_OF_TRACE = sql`case when row.ended_at is not null
  then greatest(extract(epoch from row.ended_at - row.started_at) * 1000, 0)::double precision end`;

/** Ignores absurd times of a producer, since a sum that no number holds would stop the counting of the hour. */
function withinReason(name: TimedNumberName) {
  const column = sql.ref(`row.${name}`);
  return sql`case when ${column} > 1e15 then 1e15 else ${column} end as ${sql.ref(name)}`;
}

function bucketColumn(name: TimedNumberName) {
  return sql.ref(`${name}_bucket`);
}

function sumOfSteps(column: string) {
  return sql`coalesce(sum(${sql.ref(column)}) filter (where timed.number = 'duration_ms'), 0) as ${sql.ref(column)}`;
}

/** Sums a column without the absurd numbers that a producer may send. */
function withinWholeNumbers(column: string) {
  return sql`least(sum(${sql.ref(column)}), ${Number.MAX_SAFE_INTEGER})::bigint`;
}

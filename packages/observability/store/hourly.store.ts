import { lockKey } from "@sightline/foundation/database/advisory-lock";
import { sql } from "kysely";
import type { Query } from "#schema.ts";
import { TIMED_NUMBERS, type TimedNumberName } from "#step-numbers.ts";
import { countCodeOfHours } from "./code-hours.store.ts";
import { bucketOf } from "./duration-buckets.ts";
import { groupProjects } from "./project-groups.ts";

/** How many marks are read, and hours counted, in one transaction. */
const MARKS = 20_000;
const HOURS = 50;
/** How many pairs of name and model of one kind an hour distinguishes; the rarer ones are counted as one. */
const NAMES = 200;

/**
 * Counts some of the marked hours anew. One process at a time does it, so that no older count replaces a newer one; the
 * marks are taken first, so that whatever is written after them leaves a mark that stays.
 *
 * @returns whether there may be more; what is marked while it counts is left to the next time. False also when another process is at it.
 */
export async function countMarkedHours(query: Query): Promise<boolean> {
  const { rows } = await sql<{ project_id: string }>`
    select project_id from (select project_id from observability.hourly_marks order by id limit ${MARKS}) as mark
    group by project_id order by project_id`.execute(query);
  let isMore = false;
  for (const projects of await groupProjects(
    query,
    rows.map((row) => row.project_id),
  )) {
    isMore = (await countHoursOf(query, projects)) || isMore;
  }
  return isMore;
}

async function countHoursOf(query: Query, projects: readonly string[]): Promise<boolean> {
  return query.transaction().execute(async (transaction) => {
    // Nothing tells a plan how many steps an hour has; one that takes them for few sorts them all, to disk. Asked of the projects' rows, as
    // in lockCounting.
    const { rows: lock } = await sql<{ is_mine: boolean }>`
      select pg_try_advisory_xact_lock(${lockKey("observability.hours")}) as is_mine, set_config('enable_sort', 'off', true),
        set_config('enable_incremental_sort', 'off', true), set_config('jit', 'off', true)
      from (select count(*) from observability.trace_walks where project_id = any(${projects}::uuid[])) as there`.execute(transaction);
    if (lock[0]?.is_mine !== true) {
      return false;
    }
    const { rows: marked } = await sql<{ is_kept: boolean }>`
      with waiting as (
        select id, project_id, day, hour from observability.hourly_marks where project_id = any(${projects}::uuid[]) order by id limit ${MARKS}
      ), chosen as (
        select project_id, day, hour from waiting group by project_id, day, hour order by min(id) limit ${HOURS}
      ), taken as (
        delete from observability.hourly_marks as mark using chosen
        where mark.project_id = any(${projects}::uuid[]) and mark.project_id = chosen.project_id and mark.day = chosen.day and mark.hour = chosen.hour
      )
      select chosen.project_id, chosen.day::text as day, chosen.hour::text as hour,
        project.id is not null and (project.retention_days is null or chosen.day >= (now() at time zone 'UTC')::date - project.retention_days) as is_kept
      from chosen left join observability.projects as project on project.id = chosen.project_id`.execute(transaction);
    if (marked.length === 0) {
      return false;
    }
    // The rows of expired traces may be gone already; their figures stay as they are.
    const hours = JSON.stringify(marked.filter(({ is_kept: isKept }) => isKept));
    const due = sql`json_to_recordset(${hours}) as due (project_id uuid, day date, hour timestamptz)`;
    const isOfProjects = sql`row.project_id = any(${projects}::uuid[]) and row.project_id = due.project_id`;
    await sql`
      delete from observability.hourly as row using ${due}
      where ${isOfProjects} and row.day = due.day and row.hour = due.hour`.execute(transaction);
    // Steps of one kind that took the same time are one row before anything else is made of them: an hour has millions of steps.
    await sql`
      with fact as (
        select due.project_id, due.day, due.hour, coalesce(row.kind, 'span') as kind, left(coalesce(row.name, ''), 200) as name,
          left(coalesce(row.model, ''), 200) as model, coalesce(row.end_status, 'running') as status, ${sql.join(TIMED_NUMBERS.map(withinReason))},
          ${sql.join(TOKENS.map((name) => sql.ref(`row.${name}`)))}
        from ${due}
        join observability.observations as row on ${isOfProjects} and row.day = due.day and row.hour = due.hour
        union all
        select due.project_id, due.day, due.hour, 'trace', left(coalesce(row.name, ''), 200), '', row.status,
          ${sql.join(TIMED_NUMBERS.map((name) => (name === "duration_ms" ? DURATION_OF_TRACE : sql`null`)))}, null, null, null, null, null, null
        from ${due}
        join observability.traces as row on ${isOfProjects} and row.day = due.day
          and row.sort_at >= due.hour and row.sort_at < due.hour + interval '1 hour'
      ), counted as (
        select project_id, day, hour, kind, name, model, status, ${sql.join(TIMED_NUMBERS.map((name) => sql`${bucketOf(sql.ref(name))}::smallint as ${bucketColumn(name)}`))},
          count(*) as observations, ${sql.join([...TIMED_NUMBERS, ...TOKENS].map((name) => sql`sum(${sql.ref(name)}) as ${sql.ref(name)}`))},
          count(*) filter (where input_tokens is not null or output_tokens is not null) as calls
        from fact group by 1, 2, 3, 4, 5, 6, 7, ${sql.join(TIMED_NUMBERS.map((_name, index) => sql.lit(8 + index)))}
      ), named as (
        select project_id, day, hour, kind, name, model,
          row_number() over (partition by project_id, day, hour, kind order by sum(observations) desc, name, model) <= ${NAMES} as is_told
        from counted group by project_id, day, hour, kind, name, model
      ), bucketed as (
        select project_id, day, hour, kind, case when is_told then name else ${OTHER} end as name,
          case when is_told then model else ${OTHER} end as model, status, timed.number, timed.bucket, sum(observations)::bigint as observations,
          coalesce(sum(timed.ms), 0) as total_ms, ${sql.join(TOKENS.map(sumOfSteps))},
          coalesce(sum(calls) filter (where timed.number = 'duration_ms'), 0) as calls
        from counted join named using (project_id, day, hour, kind, name, model)
        cross join lateral (
          values ${sql.join(TIMED_NUMBERS.map((name) => sql`(${sql.lit(name)}, ${bucketColumn(name)}, ${sql.ref(name)})`))}
        ) as timed (number, bucket, ms)
        where timed.number = 'duration_ms' or timed.bucket is not null
        group by 1, 2, 3, 4, 5, 6, 7, 8, 9
      )
      insert into observability.hourly (
        project_id, day, hour, kind, name, model, status, number, buckets, counts, observations, total_ms, calls, ${sql.join(TOKENS.map((name) => sql.ref(name)))}
      )
      select project_id, day, hour, kind, name, model, status, number, coalesce(array_agg(bucket) filter (where bucket is not null), '{}'),
        coalesce(array_agg(observations) filter (where bucket is not null), '{}'), sum(observations), sum(total_ms), sum(calls),
        ${sql.join(TOKENS.map(withinWholeNumbers))}
      from bucketed group by 1, 2, 3, 4, 5, 6, 7, 8`.execute(transaction);
    await countCodeOfHours(transaction, due, isOfProjects);
    return marked.length === HOURS;
  });
}

/** The name of everything that is too rare to be told apart. */
export const OTHER = "(other)";

/** Without a case, greatest() would make a duration of 0 out of what has not ended. */
const DURATION_OF_TRACE = sql`case when row.ended_at is not null
  then greatest(extract(epoch from row.ended_at - row.started_at) * 1000, 0)::double precision end`;

/** Ignores absurd times of a producer, since a sum that no number holds would stop the counting of everybody's hours. */
function withinReason(name: TimedNumberName) {
  const column = sql.ref(`row.${name}`);
  return sql`case when ${column} > 1e15 then 1e15 else ${column} end as ${sql.ref(name)}`;
}

const TOKENS = ["input_tokens", "uncached_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens", "reasoning_tokens"] as const;

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

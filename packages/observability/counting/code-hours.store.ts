import { sql, type Transaction } from "kysely";
import type { ObservabilitySchema } from "#schema.ts";
import { isOfLiveTrace } from "#store/live-traces.ts";
import { toBucket } from "./duration-buckets.ts";
import type { ProjectHour } from "./hour-figures.store.ts";

/** How many places an hour of a project distinguishes, those with the most runs; producers choose them, so there may be any number. */
const PLACES = 2_000;
/** How many steps a place and hour name: the newest of each status and length of time. */
const STEPS = 5;
/** The most characters of file and function: together they must fit an entry of the index. */
const FILE = 500;
const NAME = 200;

/** Counts anew which code ran in an hour, in the transaction that counts its other figures. */
export async function countCodeOfHour(transaction: Transaction<ObservabilitySchema>, { projectId, day, hour }: ProjectHour): Promise<void> {
  const isOfHour = sql`row.project_id = ${projectId}::uuid and row.day = ${day}::date and row.hour = ${hour}::timestamptz`;
  await sql`delete from observability.code_hours as row where ${isOfHour}`.execute(transaction);
  await sql`
    with step as (
      select row.code::text as code, row.end_status as status, ${toBucket(sql`least(row.duration_ms, 1e15)`)}::smallint as bucket,
        count(*) as runs, max(coalesce(row.started_at, row.seen_at)) as last_at, max(${STEP}) as latest
      from observability.observations as row where ${isOfHour} and row.code is not null
        and ${isOfLiveTrace(sql`${projectId}::uuid`, "row.trace_id")}
      group by 1, 2, 3
    ), place as (
      select left(coalesce(code::json ->> 'repo', ''), ${NAME}) as repo,
        left(coalesce(code::json ->> 'commit', ''), 64) as commit,
        left(code::json ->> 'file', ${FILE}) as file, left(coalesce(code::json ->> 'function', ''), ${NAME}) as function,
        least((code::json ->> 'line')::numeric, 2147483647)::integer as line,
        sum(runs)::bigint as runs, coalesce(sum(runs) filter (where status = 'failure'), 0)::bigint as failures,
        coalesce(array_agg(bucket) filter (where bucket is not null), '{}') as buckets,
        coalesce(array_agg(runs) filter (where bucket is not null), '{}') as counts,
        max(last_at) as last_at, (array_agg(latest order by latest desc))[1:${STEPS}] as latest,
        coalesce((array_agg(latest order by latest desc) filter (where status = 'failure'))[1:${STEPS}], '{}') as failed
      from step group by 1, 2, 3, 4, 5
    ), ranked as (
      select *, row_number() over (order by runs desc, file, line) as place from place
    )
    insert into observability.code_hours (
      project_id, hour, day, repo, commit, file, function, line, runs, failures, buckets, counts, last_at, latest, failed
    )
    select ${projectId}::uuid, ${hour}::timestamptz, ${day}::date, repo, commit, file, function, line, runs, failures, buckets, counts, last_at, latest, failed
    from ranked where place <= ${PLACES}`.execute(transaction);
}

/** A text whose maximum is the newest step: sorting all steps of an hour would take most of the time. Their years have four digits. */
const STEP = sql`concat_ws(' ', lpad((extract(epoch from coalesce(row.started_at, row.seen_at)) * 1000)::bigint::text, 15, '0'), row.trace_id, row.id,
  coalesce(row.end_status, '-'), coalesce(row.duration_ms::text, '-'))`;

import { sql, type RawBuilder } from "kysely";

// Each part is looked up by itself: joined, a table without statistics is gone through once for each part.

/**
 * Selects the parts of one trace in the order of their start: it, and what resumed it, and what resumed that. A part is older than those
 * that resume it, so that there is always a first one.
 */
export function selectSegments(project: RawBuilder<unknown>, trace: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(
    with recursive segment as (
      select t.id, t.day, t.sort_at, t.ended_at, t.status, t.error, t.end_event, t.start_producer, t.thread_id, t.paused_at
      from observability.traces as t where t.project_id = ${project} and t.id = ${trace}
      union
      select t.id, t.day, t.sort_at, t.ended_at, t.status, t.error, t.end_event, t.start_producer, t.thread_id, t.paused_at
      from segment cross join lateral (
        select * from observability.traces as part
        where part.project_id = ${project} and part.thread_id = segment.thread_id and part.resumed_from = segment.paused_at
          and (part.sort_at, part.id) > (segment.sort_at, segment.id)
        offset 0
      ) as t
    )
    select id, day, sort_at, ended_at, status, error, end_event, start_producer from segment order by sort_at, id limit 1000
  )`;
}

/** The first part of the trace that a part belongs to; null where there is no such part. */
export function selectBeginning(project: RawBuilder<unknown>, trace: RawBuilder<unknown>): RawBuilder<string | null> {
  return sql<string | null>`(
    with recursive segment as (
      select t.id, t.sort_at, t.thread_id, t.resumed_from
      from observability.traces as t where t.project_id = ${project} and t.id = ${trace}
      union
      select t.id, t.sort_at, t.thread_id, t.resumed_from
      from segment cross join lateral (
        select * from observability.traces as part
        where part.project_id = ${project} and part.thread_id = segment.thread_id and part.paused_at = segment.resumed_from
          and (part.sort_at, part.id) < (segment.sort_at, segment.id)
        offset 0
      ) as t
    )
    select id from segment order by sort_at, id limit 1
  )`;
}

-- The runs of one trace

-- As before, but each part is looked up by itself: joined, a table without statistics was gone through once for each part.
-- The parts of one trace in the order of their start: it, and what resumed it, and what resumed that. A part is older than those that
-- resume it, so that there is always a first one.
create function observability.segments_of(of_project uuid, of_trace uuid)
returns table (id uuid, day date, sort_at timestamptz, ended_at timestamptz, status text, error text, end_event uuid, start_producer uuid)
language sql stable as $$
  with recursive segment as (
    select t.id, t.day, t.sort_at, t.ended_at, t.status, t.error, t.end_event, t.start_producer, t.thread_id, t.paused_at
    from observability.traces as t where t.project_id = of_project and t.id = of_trace
    union
    select t.id, t.day, t.sort_at, t.ended_at, t.status, t.error, t.end_event, t.start_producer, t.thread_id, t.paused_at
    from segment cross join lateral (
      select * from observability.traces as part
      where part.project_id = of_project and part.thread_id = segment.thread_id and part.resumed_from = segment.paused_at
        and (part.sort_at, part.id) > (segment.sort_at, segment.id)
      offset 0
    ) as t
  )
  select id, day, sort_at, ended_at, status, error, end_event, start_producer from segment order by sort_at, id limit 1000
$$;

-- The first part of the trace that a part belongs to.
create function observability.beginning_of(of_project uuid, of_trace uuid) returns uuid language sql stable as $$
  with recursive segment as (
    select t.id, t.sort_at, t.thread_id, t.resumed_from
    from observability.traces as t where t.project_id = of_project and t.id = of_trace
    union
    select t.id, t.sort_at, t.thread_id, t.resumed_from
    from segment cross join lateral (
      select * from observability.traces as part
      where part.project_id = of_project and part.thread_id = segment.thread_id and part.paused_at = segment.resumed_from
        and (part.sort_at, part.id) < (segment.sort_at, segment.id)
      offset 0
    ) as t
  )
  select id from segment order by sort_at, id limit 1
$$;

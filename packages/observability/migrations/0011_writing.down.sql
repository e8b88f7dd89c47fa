-- The parts of one trace in the order of their start: it, and what resumed it, and what resumed that. A part is older than those that
-- resume it, so that there is always a first one.
create or replace function observability.segments_of(of_project uuid, of_trace uuid)
returns table (id uuid, day date, sort_at timestamptz, ended_at timestamptz, status text, error text, end_event uuid, start_producer uuid)
language sql stable as $$
  with recursive segment as (
    select t.id, t.day, t.sort_at, t.ended_at, t.status, t.error, t.end_event, t.start_producer, t.thread_id, t.paused_at
    from observability.traces as t where t.project_id = of_project and t.id = of_trace
    union
    select t.id, t.day, t.sort_at, t.ended_at, t.status, t.error, t.end_event, t.start_producer, t.thread_id, t.paused_at
    from segment join observability.traces as t
      on t.project_id = of_project and t.thread_id = segment.thread_id and t.resumed_from = segment.paused_at
      and (t.sort_at, t.id) > (segment.sort_at, segment.id)
  )
  select id, day, sort_at, ended_at, status, error, end_event, start_producer from segment order by sort_at, id limit 1000
$$;

-- The first part of the trace that a part belongs to.
create or replace function observability.beginning_of(of_project uuid, of_trace uuid) returns uuid language sql stable as $$
  with recursive segment as (
    select t.id, t.sort_at, t.thread_id, t.resumed_from
    from observability.traces as t where t.project_id = of_project and t.id = of_trace
    union
    select t.id, t.sort_at, t.thread_id, t.resumed_from
    from segment join observability.traces as t
      on t.project_id = of_project and t.thread_id = segment.thread_id and t.paused_at = segment.resumed_from
      and (t.sort_at, t.id) < (segment.sort_at, segment.id)
  )
  select id from segment order by sort_at, id limit 1
$$;

do $$
declare
  of_payloads regclass;
begin
  foreach of_payloads in array array(
    select 'observability.payloads'::regclass union all select inhrelid::regclass from pg_inherits where inhparent = 'observability.payloads'::regclass
  ) loop
    execute format('alter table %s alter column value set compression default, alter column attributes set compression default', of_payloads);
  end loop;
end
$$;
drop index observability.traces_by_time;
create index traces_by_time on observability.traces (project_id, sort_at desc, id desc);
alter table observability.observations drop column left_hour;
alter table observability.traces drop column left_hour;

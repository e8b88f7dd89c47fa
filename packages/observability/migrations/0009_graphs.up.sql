-- Which task of a graph a node ran as, and where it said to go on; what was gone is found by joining both.
alter table observability.observations
  add column graph_step json,
  add column next json;

-- Where the beginning of a graph leads, which has no observation of its own.
alter table observability.payloads drop constraint payloads_part_check;
alter table observability.payloads add constraint payloads_part_check check (part in ('start', 'end', 'update', 'enter'));

-- An interrupted run names the checkpoint it waits at, and the run that goes on from there names it too: both are one trace.
alter table observability.traces
  add column paused_at text,
  add column resumed_from text,
  add column resumed_at timestamptz;
create index traces_paused on observability.traces (project_id, thread_id, paused_at) where paused_at is not null;
create index traces_resumed on observability.traces (project_id, thread_id, resumed_from) where resumed_from is not null;

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
    from segment join observability.traces as t
      on t.project_id = of_project and t.thread_id = segment.thread_id and t.resumed_from = segment.paused_at
      and (t.sort_at, t.id) > (segment.sort_at, segment.id)
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
    from segment join observability.traces as t
      on t.project_id = of_project and t.thread_id = segment.thread_id and t.paused_at = segment.resumed_from
      and (t.sort_at, t.id) < (segment.sort_at, segment.id)
  )
  select id from segment order by sort_at, id limit 1
$$;

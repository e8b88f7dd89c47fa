-- What a project observes is kept for so many days; null: without end.
alter table observability.projects add column retention_days integer check (retention_days between 1 and 36500);

-- The day (UTC, by the database's clock) on which the first event of a trace arrived, and never another. The trace's row
-- decides it, and every row that belongs to the trace lies in the partition of that day: events may come late, in any
-- order and twice, and still meet on one row, and a day that is over gets no new traces.
alter table observability.traces add column day date not null default (now() at time zone 'UTC')::date;
create index traces_by_day on observability.traces (day, project_id);

-- What belongs to no trace goes by the time it was last of use, by the database's clock.
alter table observability.blobs add column used_at timestamptz not null default now();
alter table observability.scores add column received_at timestamptz not null default now();
alter table observability.producers add column heard_at timestamptz not null default now();

alter table observability.observations rename to observations_before;
alter table observability.payloads rename to payloads_before;

create table observability.observations (
  like observability.observations_before,
  day date not null,
  primary key (project_id, trace_id, id, day)
) partition by list (day);

create table observability.payloads (
  like observability.payloads_before including constraints,
  day date not null,
  primary key (project_id, trace_id, event_id, day)
) partition by list (day);

-- Makes the partitions of today and some days ahead. A partition is made apart and then attached, which stops no reader
-- and no writer; any number of processes may do this at once.
create function observability.ensure_days() returns void language plpgsql as $$
declare
  parent text;
  partition text;
  next_day date;
begin
  for ahead in 0..3 loop
    next_day := (now() at time zone 'UTC')::date + ahead;
    foreach parent in array array['observations', 'payloads'] loop
      partition := format('%s_%s', parent, to_char(next_day, 'YYYYMMDD'));
      -- Not by to_regclass, which remembers what another process has changed while this one waited for the lock.
      if not exists (select from pg_tables where schemaname = 'observability' and tablename = partition) then
        perform pg_advisory_xact_lock(7417340922);
        if not exists (select from pg_tables where schemaname = 'observability' and tablename = partition) then
          execute format('create table observability.%I (like observability.%I including all)', partition, parent);
          execute format('alter table observability.%I attach partition observability.%I for values in (%L)', parent, partition, next_day);
        end if;
      end if;
    end loop;
  end loop;
end
$$;
select observability.ensure_days();

insert into observability.observations
select observation.*, coalesce(trace.day, (now() at time zone 'UTC')::date)
from observability.observations_before as observation
left join observability.traces as trace on trace.project_id = observation.project_id and trace.id = observation.trace_id;

insert into observability.payloads
select payload.*, coalesce(trace.day, (now() at time zone 'UTC')::date)
from observability.payloads_before as payload
left join observability.traces as trace on trace.project_id = payload.project_id and trace.id = payload.trace_id;

drop table observability.observations_before, observability.payloads_before;

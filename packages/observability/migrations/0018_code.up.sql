-- Which code ran in an hour, counted with the hour's other figures from the rows themselves. A row for every place that steps named:
-- observations have no index by file, which writing them would pay for.
create table observability.code_hours (
  project_id uuid not null,
  hour timestamptz not null,
  day date not null,
  -- As the producer named them, cut; empty where it named none.
  repo text not null,
  commit text not null,
  file text not null,
  function text not null,
  line integer not null,
  runs bigint not null,
  failures bigint not null,
  -- How many lasted up to 1.2 to the power of which, in milliseconds: `counts` belongs to `buckets`, place by place.
  buckets smallint[] not null,
  counts bigint[] not null,
  last_at timestamptz not null,
  -- A few of the steps, the newest first, and as few of those that failed: their start in milliseconds since 1970, trace, id, status, duration.
  latest text[] not null,
  failed text[] not null
);
create index code_hours_by_file on observability.code_hours (project_id, file, hour);
create index code_hours_by_hour on observability.code_hours (project_id, hour);

-- Counted before there was this table; what is kept no longer is not counted anew.
insert into observability.hourly_marks (project_id, day, hour)
select distinct figure.project_id, figure.day, figure.hour
from observability.hourly as figure
where figure.kind <> 'trace' and exists (
  select from observability.observations as row
  where row.project_id = figure.project_id and row.hour = figure.hour and row.day = figure.day
);

create index observations_by_hour on observability.observations (project_id, hour);

-- What happened in an hour, counted from the rows themselves. One row for every kind, name, model, status and bucket of
-- durations; sums over them answer everything else. A day is counted apart from others: when its rows are dropped its
-- figures stay, and late events that open a trace of another day add to the same hour.
create table observability.hourly (
  project_id uuid not null,
  hour timestamptz not null,
  day date not null,
  -- Of an observation, or `trace`.
  kind text not null,
  name text not null,
  model text not null,
  status text not null,
  -- Durations up to 1.2 to the power of this, in milliseconds; null where none is known.
  bucket smallint,
  observations bigint not null,
  duration_ms double precision not null,
  input_tokens bigint not null,
  uncached_tokens bigint not null,
  cache_read_tokens bigint not null,
  cache_write_tokens bigint not null,
  output_tokens bigint not null,
  reasoning_tokens bigint not null,
  -- Those that used tokens.
  calls bigint not null,
  unique nulls not distinct (project_id, hour, day, kind, name, model, status, bucket)
);

-- Whoever writes rows of an hour leaves a mark in the same transaction; an hour with marks is counted anew. Marks are only
-- added and taken, so that writers never wait for each other.
create table observability.hourly_marks (
  id bigint generated always as identity primary key,
  project_id uuid not null,
  day date not null,
  hour timestamptz not null
);

insert into observability.hourly_marks (project_id, day, hour)
select project_id, day, hour from observability.observations
union
select project_id, day, date_bin('1 hour', sort_at, timestamptz '1970-01-01 00:00:00+00') from observability.traces;

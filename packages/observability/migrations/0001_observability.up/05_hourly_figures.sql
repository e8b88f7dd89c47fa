-- What follows from the rows above, counted in the background

-- What happened in an hour in live traces, counted from the rows themselves. One row for every kind, name, model and status; sums over them answer
-- everything else. What else takes time has rows of its own, which tell of nothing but that. A day is counted apart from others: when its rows are dropped its
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
  -- Calls that said what they cost, apart from the others, which have to be priced.
  is_cost_reported boolean not null,
  -- What took the time: `duration_ms`, of which every observation and trace has a row, or another number of those that have it.
  number text not null,
  -- How many took up to 1.02 to the power of which, in milliseconds: `counts` belongs to `buckets`, place by place.
  buckets smallint[] not null,
  counts bigint[] not null,
  observations bigint not null,
  total_ms double precision not null,
  input_tokens bigint not null,
  uncached_tokens bigint not null,
  cache_read_tokens bigint not null,
  cache_write_tokens bigint not null,
  output_tokens bigint not null,
  reasoning_tokens bigint not null,
  -- Those that used tokens.
  calls bigint not null,
  reported_cost double precision,
  primary key (project_id, hour, day, kind, name, model, status, is_cost_reported, number)
);

-- Whoever writes rows of an hour leaves a mark in the same transaction; an hour with marks is counted anew. Marks are only
-- added and taken, so that writers never wait for each other.
create table observability.hourly_marks (
  id bigint generated always as identity,
  project_id uuid not null,
  day date not null,
  hour timestamptz not null
);
create index hourly_marks_by_project on observability.hourly_marks (project_id, id);
create index hourly_marks_by_hour on observability.hourly_marks (project_id, day, hour);

-- Hours that could not be counted. A row stands for the marks of its hour until that is counted, and says when it is tried again.
create table observability.uncounted_hours (
  project_id uuid not null,
  day date not null,
  hour timestamptz not null,
  -- In a row, since when.
  failures integer not null,
  since timestamptz not null,
  next_try_at timestamptz not null,
  -- The SQLSTATE of the last one; its text could quote what is recorded.
  error_code text not null,
  primary key (project_id, day, hour)
);

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
  -- As in `hourly`.
  buckets smallint[] not null,
  counts bigint[] not null,
  last_at timestamptz not null,
  -- A few of the steps, the newest first, and as few of those that failed: their start in milliseconds since 1970, trace, id, status, duration.
  latest text[] not null,
  failed text[] not null
);
create index code_hours_by_file on observability.code_hours (project_id, file, hour);
create index code_hours_by_hour on observability.code_hours (project_id, hour);

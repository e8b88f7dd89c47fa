create schema observability;

create table observability.projects (
  id uuid primary key,
  -- The access token's tid, whatever identity provider made it.
  tenant_id text not null,
  name text not null,
  created_at timestamptz not null default now()
);
create index projects_by_tenant on observability.projects (tenant_id, created_at desc, id desc);

-- Producers choose the ids of traces and observations, so a project's id is part of every key:
-- one project's producer can never touch another project's rows.
-- A row has two halves, written by the start event and by the end event, which may arrive in either order or never.
create table observability.traces (
  project_id uuid not null,
  id uuid not null,
  -- The earliest event that names the trace; stands in for the start until that arrives.
  seen_at timestamptz not null,
  start_event uuid,
  start_producer uuid,
  start_seq bigint,
  name text,
  started_at timestamptz,
  thread_id text,
  session_id text,
  user_id text,
  end_event uuid,
  end_producer uuid,
  end_seq bigint,
  ended_at timestamptz,
  end_status text,
  error text,
  sort_at timestamptz generated always as (coalesce(started_at, seen_at)) stored,
  status text generated always as (coalesce(end_status, 'running')) stored,
  primary key (project_id, id)
);
create index traces_by_time on observability.traces (project_id, sort_at desc, id desc);

create table observability.observations (
  project_id uuid not null,
  trace_id uuid not null,
  id uuid not null,
  seen_at timestamptz not null,
  start_event uuid,
  start_producer uuid,
  start_seq bigint,
  parent_id uuid,
  kind text,
  name text,
  started_at timestamptz,
  start_model text,
  code json,
  end_event uuid,
  end_producer uuid,
  end_seq bigint,
  ended_at timestamptz,
  duration_ms double precision,
  end_status text,
  error text,
  end_model text,
  input_tokens bigint,
  output_tokens bigint,
  cache_read_tokens bigint,
  cache_write_tokens bigint,
  reasoning_tokens bigint,
  primary key (project_id, trace_id, id)
);

-- What an event carries beside the narrow rows; one row per event, never changed. The column type is json and not jsonb:
-- it keeps the order of keys as the application sent them.
create table observability.payloads (
  project_id uuid not null,
  trace_id uuid not null,
  event_id uuid not null,
  -- The trace or observation it belongs to.
  owner_id uuid not null,
  part text not null check (part in ('start', 'end', 'update')),
  seq bigint not null,
  value json,
  attributes json,
  reasoning json,
  usage json,
  tool_entry json,
  primary key (project_id, trace_id, event_id)
);

create table observability.blobs (
  project_id uuid not null,
  sha256 text not null,
  content json,
  primary key (project_id, sha256)
);

create table observability.graphs (
  project_id uuid not null,
  graph_hash text not null,
  name text not null,
  nodes json not null,
  edges json not null,
  primary key (project_id, graph_hash)
);

create table observability.scores (
  project_id uuid not null,
  trace_id uuid not null,
  event_id uuid not null,
  observation_id uuid,
  name text not null,
  value double precision not null,
  comment text,
  scored_at timestamptz not null,
  primary key (project_id, trace_id, event_id)
);

-- Loss is found by counting: a producer's events are numbered from 1 without holes.
create table observability.producers (
  project_id uuid not null,
  producer_id uuid not null,
  first_event_at timestamptz not null,
  last_event_at timestamptz not null,
  -- Every number that arrived, set-aside events included.
  seen int8multirange not null,
  -- The highest number the producer says it has sent.
  announced_seq bigint,
  hello json,
  -- Events the producer says it dropped itself, by reason; the newest report.
  dropped json,
  dropped_seq bigint,
  ended_at timestamptz,
  holes int8multirange not null generated always as (
    int8multirange(int8range(1, greatest(upper(seen), announced_seq + 1))) - seen
  ) stored,
  -- The holes when they were last looked at. What is still a hole a reorder window later is lost.
  suspects int8multirange not null default '{}',
  suspects_at timestamptz,
  lost int8multirange not null default '{}',
  primary key (project_id, producer_id)
);
create index producers_unsettled on observability.producers (project_id, producer_id) where holes <> lost;

create table observability.ingest_gaps (
  project_id uuid not null,
  producer_id uuid not null,
  first_seq bigint not null,
  last_seq bigint not null,
  found_at timestamptz not null default now(),
  primary key (project_id, producer_id, first_seq)
);

create table observability.dead_letters (
  id uuid primary key,
  stream text not null,
  entry_id text not null,
  -- As the entry claims, when that much of it could be read.
  project_id uuid,
  reason text not null,
  -- The entry's fields as a JSON list: name, value, name, value, …
  entry text not null,
  created_at timestamptz not null default now(),
  unique (stream, entry_id)
);
create index dead_letters_by_time on observability.dead_letters (created_at desc, id desc);

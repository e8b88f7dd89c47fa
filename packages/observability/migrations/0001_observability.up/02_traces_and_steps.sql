-- What applications send

-- Producers choose the ids of traces and observations, so a project's id is part of every key:
-- one project's producer can never touch another project's rows.
-- A row has two halves, written by the start event and by the end event, which may arrive in either order or never.
create table observability.traces (
  project_id uuid not null,
  id uuid not null,
  -- The day (UTC, by the database's clock) on which the first event of a trace arrived, and never another. The trace's row
  -- decides it, and every row that belongs to the trace lies in the partition of that day: events may come late, in any
  -- order and twice, and still meet on one row, and a day that is over gets no new traces.
  day date not null default (now() at time zone 'UTC')::date,
  -- The earliest event that names the trace; stands in for the start until that arrives.
  seen_at timestamptz not null,
  start_event uuid,
  start_producer uuid,
  start_seq bigint,
  name text,
  started_at timestamptz,
  thread_id text,
  own_session_id text,
  own_user_id text,
  end_event uuid,
  end_producer uuid,
  end_seq bigint,
  ended_at timestamptz,
  end_status text,
  error text,
  -- An interrupted run names the checkpoint it waits at, and the run that goes on from there names it too: both are one trace.
  paused_at text,
  resumed_from text,
  -- What it was recorded for; null: live, and only such traces are counted.
  purpose text check (purpose in ('experiment', 'replay', 'playground', 'judge')),
  -- Steps that stood in for the start said these: a start of an application's own need not know them.
  told_session_id text,
  told_user_id text,
  waits_since timestamptz,
  resumed_at timestamptz,
  -- The words of a trace's name, ids, error, and of the beginning of its input and output: no whole payload is indexed. An
  -- array and not a tsvector, whose making took longer than everything else that writing a trace does.
  start_words text[],
  end_words text[],
  -- What it is found by beside its names: `environment:…`, `release:…`, `version:…`, `namespace:…`, `tag:…`, `metadata.<key>:…`.
  start_fields text[],
  -- Tags that people added.
  tags text[],
  -- One line of its input and of its output, for the list, which reads no payload.
  start_line text,
  end_line text,
  -- The hour a row counted for before its last change, so that whoever changes it can mark both without reading it first.
  left_hour timestamptz,
  sort_at timestamptz generated always as (coalesce(started_at, seen_at)) stored,
  session_id text generated always as (coalesce(own_session_id, told_session_id)) stored,
  user_id text generated always as (coalesce(own_user_id, told_user_id)) stored,
  -- Whoever reports a run need not know that one of its steps waits, or waited and went on within it: the steps say so themselves.
  status text generated always as (
    case
      when end_status = 'success' and paused_at is not null and (resumed_at > waits_since) is not true then 'interrupted'
      else coalesce(end_status, 'running')
    end
  ) stored,
  primary key (project_id, id)
);
-- Partial, so that only lists by time can use it. As long as the table has no statistics the planner takes a project for a few rows,
-- and went through all of them here for each trace it was to find by its id.
create index traces_by_time on observability.traces (project_id, sort_at desc, id desc) where sort_at is not null;
create index traces_by_day on observability.traces (day, project_id);
create index traces_running on observability.traces (project_id, sort_at desc, id desc) where end_status is null;
create index traces_paused on observability.traces (project_id, thread_id, paused_at) where paused_at is not null;
create index traces_aside on observability.traces (project_id, id) where purpose is not null;
create index traces_resumed on observability.traces (project_id, thread_id, resumed_from) where resumed_from is not null;

create table observability.observations (
  project_id uuid not null,
  trace_id uuid not null,
  id uuid not null,
  day date not null,
  seen_at timestamptz not null,
  start_event uuid,
  start_producer uuid,
  start_seq bigint,
  parent_id uuid,
  kind text,
  name text,
  started_at timestamptz,
  start_model text,
  -- Of a model call, what it was asked with: `name@version`.
  prompt text,
  -- Of model calls: one line of what was asked and what came back, for traces that say nothing themselves.
  start_line text,
  end_line text,
  code json,
  -- Which task of a graph a node ran as, and where it said to go on; what was gone is found by joining both.
  graph_step json,
  next json,
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
  reported_cost double precision,
  -- From the start of a streamed model call to its first token.
  time_to_first_token_ms double precision,
  -- As in traces.
  left_hour timestamptz,
  -- What figures are made of, derived once. All input of a model call is uncached input, cache reads and cache writes.
  model text generated always as (coalesce(end_model, start_model)) stored,
  uncached_tokens bigint generated always as (
    greatest(input_tokens - coalesce(cache_read_tokens, 0) - coalesce(cache_write_tokens, 0), 0)
  ) stored,
  -- The hour it counts for.
  hour timestamptz not null generated always as (
    date_bin('1 hour', coalesce(started_at, seen_at), timestamptz '1970-01-01 00:00:00+00')
  ) stored,
  primary key (project_id, trace_id, id, day)
) partition by list (day);
create index observations_by_hour on observability.observations (project_id, hour);
create index observations_by_prompt on observability.observations (project_id, prompt, hour) where prompt is not null;

-- What an event carries beside the narrow rows; one row per event, never changed. The column type is json and not jsonb:
-- it keeps the order of keys as the application sent them.
create table observability.payloads (
  project_id uuid not null,
  trace_id uuid not null,
  event_id uuid not null,
  day date not null,
  -- The trace or observation it belongs to.
  owner_id uuid not null,
  -- `enter`: where the beginning of a graph leads, which has no observation of its own.
  part text not null check (part in ('start', 'end', 'update', 'enter')),
  seq bigint not null,
  value json,
  attributes json,
  reasoning json,
  usage json,
  stack json,
  tool_entry json,
  primary key (project_id, trace_id, event_id, day)
) partition by list (day);
-- The few payloads that are neither an observation's start nor its end, so that those of one step, and of a graph's beginning, are found
-- without looking through a whole trace.
create index payloads_beside on observability.payloads (project_id, trace_id, owner_id) where part in ('update', 'enter');

-- Where the server has it: it takes a fraction of the time that the default does, which was a fifth of what writing an event costs.
do $$
begin
  alter table observability.payloads alter column value set compression lz4, alter column attributes set compression lz4;
exception when feature_not_supported then
  null;
end
$$;

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

create table observability.blobs (
  project_id uuid not null,
  -- Compared as bytes: by the rules of a language it takes longer, and finds none by its beginning.
  sha256 text collate "C" not null,
  content json,
  primary key (project_id, sha256)
);

-- Which traces refer to which contents, written with the payloads that do: so whoever deletes a trace knows what it may have been the last to need. A row for
-- each trace of a batch: one for each content, with its place in two indexes, takes a seventh of what writing the batch does.
create table observability.blob_references (
  project_id uuid not null,
  trace_id uuid not null,
  -- The first half of each hash: too long to meet by chance, and kept in a quarter of the room.
  contents uuid[] not null
);
create index blob_references_by_trace on observability.blob_references (trace_id);
-- What is not in the index yet is looked through by everybody who asks it.
create index blob_references_by_content on observability.blob_references using gin (contents) with (gin_pending_list_limit = 1024);

-- Contents that perhaps no trace needs (any more); whoever takes the last reference, or writes a content without one, says so here in the same transaction.
-- How they go is told in `deletion/sweep-blobs.ts`.
create table observability.released_blobs (
  project_id uuid not null,
  -- As in `blob_references`.
  content uuid not null,
  released_at timestamptz not null default now(),
  -- What producers are told, by which they notice that they have to send contents again; and when they had been.
  told_version uuid,
  told_at timestamptz,
  primary key (project_id, content)
);
create index released_blobs_by_time on observability.released_blobs (told_at nulls first, project_id);

-- Traces that were deleted of late, so that events of theirs that come later go, too.
create table observability.deleted_traces (
  project_id uuid not null,
  trace_id uuid not null,
  deleted_at timestamptz not null default now(),
  -- Runs of experiments that say they were one of these keep no contents.
  is_of_user boolean not null default false,
  primary key (project_id, trace_id)
);
create index deleted_traces_by_time on observability.deleted_traces (deleted_at);

-- What people have deleted: who, when and how much, and nothing of what it was.
create table observability.deletions (
  project_id uuid not null,
  id uuid not null,
  kind text not null check (kind in ('traces', 'user')),
  -- Whose traces are still to be deleted; null once they are.
  user_id text,
  -- The access token's sub, or `operator`.
  requested_by text not null,
  requested_at timestamptz not null default now(),
  traces bigint not null default 0,
  scores bigint not null default 0,
  dead_letters bigint not null default 0,
  -- When all was gone that had been sent before; contents that nobody needs any more follow.
  emptied_at timestamptz,
  finished_at timestamptz,
  primary key (project_id, id)
);
create index deletions_by_time on observability.deletions (project_id, requested_at, id);
create index deletions_unfinished on observability.deletions (requested_at) where finished_at is null;

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
  data_type text not null default 'number' check (data_type in ('number', 'boolean', 'category', 'text')),
  -- Of a boolean 1 or 0; null of categories and texts, which have no mean.
  value double precision,
  text_value text,
  comment text,
  source text not null default 'application' check (source in ('application', 'person', 'judge', 'check')),
  -- Who gave it in the console or by the API; null for one that came with the events.
  author text,
  -- Of a judge or checks: which version of the evaluator; of a judge, the trace of its call.
  evaluator_version int,
  judge_trace_id uuid,
  -- Of a person's label: the queue in which it was asked, and whether it settles labels that differed.
  queue_id uuid,
  is_resolution boolean not null default false,
  scored_at timestamptz not null,
  received_at timestamptz not null default now(),
  primary key (project_id, trace_id, event_id),
  check (case when data_type in ('number', 'boolean') then value is not null and text_value is null else value is null and text_value is not null end)
);
create index scores_by_time on observability.scores (project_id, scored_at desc, event_id desc);
create index scores_by_name on observability.scores (project_id, name, value);

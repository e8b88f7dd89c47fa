create schema observability;

-- Projects: what applications send to, who may see it, and how it is kept

create table observability.projects (
  id uuid primary key,
  -- The access token's tid, whatever identity provider made it.
  tenant_id text not null,
  name text not null,
  -- Who may see it: everybody of its tenant, or its members and the tenant's admins.
  access text not null default 'members' check (access in ('tenant', 'members')),
  -- What a project observes is kept for so many days; null: without end.
  retention_days integer check (retention_days between 1 and 36500),
  created_at timestamptz not null default now()
);
create index projects_by_tenant on observability.projects (tenant_id, created_at desc, id desc);

create table observability.project_members (
  project_id uuid not null references observability.projects (id) on delete cascade,
  -- The access token's sub.
  user_id text not null,
  role text not null check (role in ('viewer', 'editor', 'owner')),
  added_at timestamptz not null default now(),
  added_by text not null,
  primary key (project_id, user_id)
);
create index project_members_by_user on observability.project_members (user_id, project_id);

-- Keys by which applications send to a project, or read it, without a person's session. The key itself is kept nowhere.
create table observability.api_keys (
  id uuid primary key,
  project_id uuid not null,
  name text not null,
  -- The key's first characters, so that people tell their keys apart.
  prefix text not null,
  -- 256 random bits need no slow hash: nobody can guess one.
  key_sha256 text not null unique,
  scopes text[] not null,
  -- The account that made it, or `operator`.
  created_by text not null,
  created_at timestamptz not null default now(),
  -- To the minute.
  last_used_at timestamptz,
  revoked_at timestamptz
);
create index api_keys_by_project on observability.api_keys (project_id, created_at desc, id desc);

-- What consumers make unreadable in a project's events before they write them; a project without a row has no rules.
create table observability.masking (
  project_id uuid primary key references observability.projects (id) on delete cascade,
  keys text[] not null,
  -- [{"name", "expression"}]
  patterns jsonb not null,
  changed_at timestamptz not null default now(),
  -- The access token's sub, or `operator`.
  changed_by text not null
);

-- Lists of traces that somebody wants to see again: their query, sorting and columns.
create table observability.views (
  id uuid primary key,
  project_id uuid not null references observability.projects (id) on delete cascade,
  -- The access token's sub, or `operator`.
  author text not null,
  name text not null,
  query text not null,
  sort text not null,
  sort_order text not null,
  columns text[] not null,
  is_shared boolean not null,
  changed_at timestamptz not null default now()
);
create index views_by_project on observability.views (project_id, name, id);

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
  session_id text,
  user_id text,
  end_event uuid,
  end_producer uuid,
  end_seq bigint,
  ended_at timestamptz,
  end_status text,
  error text,
  -- An interrupted run names the checkpoint it waits at, and the run that goes on from there names it too: both are one trace.
  paused_at text,
  resumed_from text,
  resumed_at timestamptz,
  -- The words of a trace's name, ids, error, and of the beginning of its input and output: no whole payload is indexed. An
  -- array and not a tsvector, whose making took longer than everything else that writing a trace does.
  start_words text[],
  end_words text[],
  -- The hour a row counted for before its last change, so that whoever changes it can mark both without reading it first.
  left_hour timestamptz,
  sort_at timestamptz generated always as (coalesce(started_at, seen_at)) stored,
  status text generated always as (coalesce(end_status, 'running')) stored,
  primary key (project_id, id)
);
-- Partial, so that only lists by time can use it. As long as the table has no statistics the planner takes a project for a few rows,
-- and went through all of them here for each trace it was to find by its id.
create index traces_by_time on observability.traces (project_id, sort_at desc, id desc) where sort_at is not null;
create index traces_by_day on observability.traces (day, project_id);
create index traces_running on observability.traces (project_id, sort_at desc, id desc) where end_status is null;
create index traces_paused on observability.traces (project_id, thread_id, paused_at) where paused_at is not null;
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
  sha256 text not null,
  content json,
  -- What belongs to no trace goes by the time it was last of use, by the database's clock.
  used_at timestamptz not null default now(),
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
  -- Who gave it in the console or by the API; null for one that came with the events.
  author text,
  scored_at timestamptz not null,
  received_at timestamptz not null default now(),
  primary key (project_id, trace_id, event_id)
);
create index scores_by_time on observability.scores (project_id, scored_at desc, event_id desc);
create index scores_by_name on observability.scores (project_id, name, value);

-- What was lost or set aside on the way

-- Loss is found by counting: a producer's events are numbered from 1 without holes.
create table observability.producers (
  project_id uuid not null,
  producer_id uuid not null,
  first_event_at timestamptz not null,
  last_event_at timestamptz not null,
  -- By the database's clock.
  heard_at timestamptz not null default now(),
  -- When it was noticed that nothing comes from it any more. Whatever comes from it then clears this.
  gone_at timestamptz,
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
create index producers_living on observability.producers (heard_at) where gone_at is null;
-- What changed of late, for watchers whom no message reaches.
create index producers_gone on observability.producers (gone_at) where gone_at is not null;

create table observability.ingest_gaps (
  id uuid not null default gen_random_uuid(),
  project_id uuid not null,
  producer_id uuid not null,
  first_seq bigint not null,
  last_seq bigint not null,
  found_at timestamptz not null default now(),
  primary key (project_id, producer_id, first_seq)
);
create unique index ingest_gaps_by_id on observability.ingest_gaps (id);
create index ingest_gaps_by_time on observability.ingest_gaps (found_at desc, id desc);
create index ingest_gaps_by_project on observability.ingest_gaps (project_id, found_at);

-- Entries that could not be written, what became of them, and who saw to it. Rows stay, so that an entry that is delivered
-- once more after it was dealt with is not set aside anew.
create table observability.dead_letters (
  id uuid primary key,
  stream text not null,
  entry_id text not null,
  -- As the entry claims, when that much of it could be read.
  project_id uuid,
  reason text not null,
  -- The entry's fields as a JSON list: name, value, name, value, …
  entry text not null,
  -- False when the entry was longer than any event can be, and only its beginning is here.
  is_whole boolean not null default true,
  created_at timestamptz not null default now(),
  -- The entry as somebody mended it; `entry` stays what it was.
  fixed_entry text,
  fixed_at timestamptz,
  fixed_by text,
  replayed_at timestamptz,
  replayed_by text,
  -- The texts are gone then.
  deleted_at timestamptz,
  deleted_by text,
  state text not null generated always as (
    case when deleted_at is not null then 'deleted' when replayed_at is not null then 'replayed' else 'open' end
  ) stored,
  unique (stream, entry_id)
);
create index dead_letters_by_time on observability.dead_letters (created_at desc, id desc);
create index dead_letters_by_state on observability.dead_letters (state, created_at desc, id desc);
create index dead_letters_by_project on observability.dead_letters (project_id, created_at desc, id desc);

-- Prices

-- US dollars for a million tokens. A price counts from its hour on until the next one of the same model; what a call cost
-- is worked out when it is read, from the tokens that are kept.
create table observability.default_prices (
  model text not null,
  valid_from timestamptz not null,
  input double precision not null check (input >= 0),
  output double precision not null check (output >= 0),
  -- Without one of their own these tokens cost what other input does.
  cache_read double precision check (cache_read >= 0),
  cache_write double precision check (cache_write >= 0),
  source text not null,
  primary key (model, valid_from)
);

-- What a project says instead.
create table observability.prices (
  project_id uuid not null,
  model text not null,
  valid_from timestamptz not null check (valid_from = date_bin('1 hour', valid_from, timestamptz '1970-01-01 00:00:00+00')),
  input double precision not null check (input >= 0),
  output double precision not null check (output >= 0),
  cache_read double precision check (cache_read >= 0),
  cache_write double precision check (cache_write >= 0),
  changed_at timestamptz not null default now(),
  changed_by text,
  primary key (project_id, model, valid_from)
);

-- What follows from the rows above, counted in the background

-- What happened in an hour, counted from the rows themselves. One row for every kind, name, model, status and bucket of
-- durations; sums over them answer everything else. What else takes time has rows of its own, which tell of nothing but that. A day is counted apart from others: when its rows are dropped its
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
  -- What took the time: `duration_ms`, of which every observation and trace has a row, or another number of those that have it.
  number text not null,
  -- Times up to 1.2 to the power of this, in milliseconds; null where none is known.
  bucket smallint,
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
  unique nulls not distinct (project_id, hour, day, kind, name, model, status, number, bucket)
);

-- Whoever writes rows of an hour leaves a mark in the same transaction; an hour with marks is counted anew. Marks are only
-- added and taken, so that writers never wait for each other.
create table observability.hourly_marks (
  id bigint generated always as identity primary key,
  project_id uuid not null,
  day date not null,
  hour timestamptz not null
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

-- A trace as the list shows, sorts and filters it: one row for each, whatever runs it consists of. Nothing is here that does not
-- follow from other tables: whoever writes those leaves a mark in the same transaction, and marked traces are counted anew by
-- whoever comes first, a reader of the list or a duty.
create table observability.trace_entries (
  project_id uuid not null,
  -- Of its first run.
  trace_id uuid not null,
  runs uuid[] not null,
  last_run uuid not null,
  sort_at timestamptz not null,
  started_at timestamptz,
  ended_at timestamptz,
  waiting_ms double precision not null,
  duration_ms double precision,
  name text,
  -- Of its last run; whether a running one is abandoned is known of its producers.
  status text not null,
  session_id text,
  user_id text,
  thread_id text,
  -- The first 1,000 characters of it.
  error text,
  steps bigint not null,
  failures bigint not null,
  input_tokens bigint,
  output_tokens bigint,
  tokens bigint,
  cost double precision,
  -- The longest of its model calls.
  time_to_first_token_ms double precision,
  -- Numbers of events, of each producer the first and the last.
  producers uuid[] not null,
  first_seqs bigint[] not null,
  last_seqs bigint[] not null,
  -- Whether its start and its end have arrived.
  is_whole boolean[] not null,
  -- What it ran, once each: `model:…`, `tool:…`, `node:…`, `kind:…`, `code:…`, `commit:…`.
  fields text[] not null,
  scores jsonb not null,
  -- By these it is found: of its fields, words, scores and producers, project and all in one number.
  keys bigint[] not null,
  primary key (project_id, trace_id)
);
create index trace_entries_by_time on observability.trace_entries (project_id, sort_at, trace_id);
create index trace_entries_by_duration on observability.trace_entries (project_id, duration_ms, trace_id) where duration_ms is not null;
create index trace_entries_by_cost on observability.trace_entries (project_id, cost, trace_id) where cost is not null;
create index trace_entries_by_time_to_first_token on observability.trace_entries (project_id, time_to_first_token_ms, trace_id)
  where time_to_first_token_ms is not null;
create index trace_entries_by_tokens on observability.trace_entries (project_id, tokens, trace_id) where tokens is not null;
create index trace_entries_by_failures on observability.trace_entries (project_id, failures, trace_id);
create index trace_entries_by_steps on observability.trace_entries (project_id, steps, trace_id);
create index trace_entries_by_status on observability.trace_entries (project_id, status, sort_at, trace_id);
create index trace_entries_by_name on observability.trace_entries (project_id, name, sort_at, trace_id);
create index trace_entries_by_session on observability.trace_entries (project_id, session_id, sort_at, trace_id) where session_id is not null;
create index trace_entries_by_user on observability.trace_entries (project_id, user_id, sort_at, trace_id) where user_id is not null;
create index trace_entries_by_thread on observability.trace_entries (project_id, thread_id, sort_at, trace_id) where thread_id is not null;
create index trace_entries_by_error on observability.trace_entries (project_id, sort_at, trace_id) where error is not null;
-- What ended in the last minutes.
create index trace_entries_by_end on observability.trace_entries (project_id, ended_at) where ended_at is not null;
create index trace_entries_by_keys on observability.trace_entries using gin (keys);

-- Marks are only added and taken, so that writers never wait for each other.
create table observability.trace_marks (
  id bigint generated always as identity primary key,
  project_id uuid not null,
  trace_id uuid not null
);
create index trace_marks_by_project on observability.trace_marks (project_id, id);
create index trace_marks_by_trace on observability.trace_marks (project_id, trace_id);

-- Projects all of whose traces are to be counted anew, from the highest id down: since they were never counted, or since prices changed.
create table observability.trace_walks (
  project_id uuid primary key,
  reason text not null check (reason in ('all', 'prices')),
  before uuid not null
);

-- The values of a field, and what the traces that have one are together. Changed by what a trace adds and takes when it is counted.
create table observability.trace_groups (
  project_id uuid not null,
  field text not null,
  value text not null,
  traces bigint not null,
  failures bigint not null,
  input_tokens numeric not null,
  output_tokens numeric not null,
  cost double precision not null,
  -- How many traces have tokens read, written, and a cost: without any, the sum is unknown and not nothing.
  with_input bigint not null,
  with_output bigint not null,
  with_cost bigint not null,
  -- Of sessions and users only.
  first_at timestamptz,
  last_at timestamptz,
  -- No trace with the value begins before or after these: a list by time looks for a commit of last month there and not from today on.
  -- They only ever grow apart, and are wider than the traces are once some are gone. Null while nobody knows them.
  earliest timestamptz,
  latest timestamptz,
  primary key (project_id, field, value)
);
create index trace_groups_by_time on observability.trace_groups (project_id, field, last_at, value) where last_at is not null;
create index trace_groups_by_traces on observability.trace_groups (project_id, field, traces, value);
create index trace_groups_empty on observability.trace_groups (project_id) where traces <= 0;
create index trace_groups_by_prefix on observability.trace_groups (project_id, field, lower(left(value, 200)) text_pattern_ops);
-- Sessions and users are also sorted by what they cost.
create index trace_groups_by_cost on observability.trace_groups (project_id, field, cost, value) where last_at is not null;
create index trace_groups_by_tokens on observability.trace_groups (project_id, field, (input_tokens + output_tokens), value) where last_at is not null;
create index trace_groups_by_failures on observability.trace_groups (project_id, field, failures, value) where last_at is not null;

-- Alerts

-- Where a project's alerts are told. The address may hold a secret, as Slack's does, so it is sealed too.
create table observability.alert_channels (
  id uuid primary key,
  project_id uuid not null references observability.projects (id) on delete cascade,
  name text not null,
  kind text not null check (kind in ('webhook', 'slack')),
  host text not null,
  sealed_url text not null,
  sealed_secret text,
  created_by text not null,
  created_at timestamptz not null default now(),
  last_sent_at timestamptz,
  last_problem text
);
create index alert_channels_by_project on observability.alert_channels (project_id, name, id);

create table observability.alert_rules (
  id uuid primary key,
  project_id uuid not null references observability.projects (id) on delete cascade,
  name text not null,
  metric text not null,
  threshold double precision not null,
  window_minutes integer not null,
  filter jsonb not null,
  channel_ids uuid[] not null,
  is_enabled boolean not null,
  changed_by text not null,
  changed_at timestamptz not null default now(),
  is_firing boolean not null default false,
  since timestamptz,
  last_value double precision,
  evaluated_at timestamptz,
  -- Why it could not be evaluated the last time.
  problem text,
  -- Evaluations below, one after the other, while it fires.
  belows integer not null default 0,
  -- Whoever evaluates it puts a number here, and writes what came of it only while it is still there.
  claim uuid,
  claimed_at timestamptz
);
create index alert_rules_by_project on observability.alert_rules (project_id, name, id);
create index alert_rules_due on observability.alert_rules (claimed_at nulls first) where is_enabled;

create table observability.alert_events (
  id uuid primary key,
  project_id uuid not null references observability.projects (id) on delete cascade,
  rule_id uuid not null,
  rule_name text not null,
  kind text not null check (kind in ('fired', 'resolved')),
  metric text not null,
  threshold double precision not null,
  window_minutes integer not null,
  filter jsonb not null,
  value double precision,
  at timestamptz not null default now()
);
create index alert_events_by_time on observability.alert_events (project_id, at, id);

-- Written with the event in one transaction, sent afterwards until the receiver has it.
create table observability.alert_notifications (
  id uuid primary key,
  event_id uuid not null references observability.alert_events (id) on delete cascade,
  channel_id uuid not null references observability.alert_channels (id) on delete cascade,
  state text not null default 'pending' check (state in ('pending', 'sent', 'dead')),
  tries integer not null default 0,
  problem text,
  created_at timestamptz not null default now(),
  next_try_at timestamptz not null default now(),
  sent_at timestamptz
);
create index alert_notifications_due on observability.alert_notifications (next_try_at) where state = 'pending';
create index alert_notifications_by_event on observability.alert_notifications (event_id);
create index alert_notifications_by_channel on observability.alert_notifications (channel_id);

-- Functions: what is decided in one place for every statement

-- Status: running, abandoned, or how it ended

-- A trace that has not ended is abandoned when every producer that could end it or one of its open steps is gone. Without
-- its start and without open steps it is up to those that sent the others.
create function observability.status_of(project uuid, trace uuid, of_day date, status text, starter uuid)
returns text language sql stable parallel safe as $$
  select case when status = 'running' and (
    select coalesce(bool_and(producer.gone_at is not null), false)
    from observability.producers as producer
    where producer.project_id = project and producer.producer_id in (
      select starter
      union all
      select coalesce(step.start_producer, step.end_producer)
      from observability.observations as step
      where step.project_id = project and step.trace_id = trace and step.day = of_day and (step.end_status is null or starter is null)
    )
  ) then 'abandoned' else status end
$$;

-- Cost

-- The name under which a model has its price: without the provider before it and the date or version behind it.
create function observability.priced_name(model text) returns text language sql immutable parallel safe as $$
  select regexp_replace(
    regexp_replace(lower(model), '^(.*/)?((us|eu|apac|global|jp)\.)?((anthropic|amazon|meta|mistral|cohere|deepseek)\.)?', ''),
    '(-v[0-9]+(:[0-9]+)?|-latest|[-@][0-9]{8}(-v[0-9]+(:[0-9]+)?)?|-[0-9]{4}-[0-9]{2}-[0-9]{2})$', ''
  )
$$;

-- A project's own price goes before a default one, the whole name before the shortened one.
create function observability.price_of(project uuid, called text, at timestamptz)
returns table (input double precision, output double precision, cache_read double precision, cache_write double precision)
language sql stable parallel safe as $$
  select price.input, price.output, coalesce(price.cache_read, price.input), coalesce(price.cache_write, price.input)
  from (
    select 1 as rank, model, valid_from, prices.input, prices.output, prices.cache_read, prices.cache_write
    from observability.prices where project_id = project
    union all
    select 2, model, valid_from, defaults.input, defaults.output, defaults.cache_read, defaults.cache_write
    from observability.default_prices as defaults
  ) as price
  where price.model in (lower(called), observability.priced_name(called)) and price.valid_from <= at
  order by price.rank, length(price.model) desc, price.valid_from desc
  limit 1
$$;

-- Dollars of the tokens that were used at such a price. All readers take it from here; it is simple enough to become part of their statements.
create function observability.cost_of(
  uncached double precision, cache_read double precision, cache_write double precision, output double precision,
  uncached_price double precision, cache_read_price double precision, cache_write_price double precision, output_price double precision
) returns double precision language sql immutable parallel safe as $$
  select (
    coalesce(uncached, 0) * uncached_price + coalesce(cache_read, 0) * cache_read_price
    + coalesce(cache_write, 0) * cache_write_price + coalesce(output, 0) * output_price
  ) / 1000000
$$;

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

-- A trace's entry in the list

create function observability.trace_key(project uuid, field text, value text) returns bigint language sql immutable parallel safe as $$
  select hashtextextended(left(value, 200), hashtextextended(field, uuid_hash_extended(project, 0)))
$$;

-- Events known to be missing between a trace's own, and around them while its start or end has not arrived.
create function observability.lost_of(project uuid, producers uuid[], first_seqs bigint[], last_seqs bigint[], is_whole boolean[])
returns bigint language sql stable parallel safe as $$
  select coalesce(sum(gap.last_seq - gap.first_seq + 1), 0)::bigint
  from unnest(producers, first_seqs, last_seqs) as span (producer, first_seq, last_seq)
  cross join lateral (
    select coalesce(case when not is_whole[1] then (
        select max(before.first_seq) from observability.ingest_gaps as before
        where before.project_id = project and before.producer_id = span.producer and before.last_seq < span.first_seq
      ) end, span.first_seq) as first_seq,
      coalesce(case when not is_whole[2] then (
        select min(behind.last_seq) from observability.ingest_gaps as behind
        where behind.project_id = project and behind.producer_id = span.producer and behind.first_seq > span.last_seq
      ) end, span.last_seq) as last_seq
  ) as reach
  join observability.ingest_gaps as gap on gap.project_id = project and gap.producer_id = span.producer
    and gap.first_seq <= reach.last_seq and gap.last_seq >= reach.first_seq
$$;

-- What an entry says, of the trace that begins with this run. Told of which days its runs are, a plan looks at no others.
create function observability.entry_of(of_project uuid, of_trace uuid, of_days date[] default null)
returns table (
  runs uuid[], last_run uuid, sort_at timestamptz, started_at timestamptz, ended_at timestamptz, waiting_ms double precision,
  duration_ms double precision, name text, status text, session_id text, user_id text, thread_id text, error text, steps bigint,
  failures bigint, input_tokens bigint, output_tokens bigint, tokens bigint, cost double precision,
  time_to_first_token_ms double precision, producers uuid[], first_seqs bigint[], last_seqs bigint[], is_whole boolean[], fields text[], scores jsonb, keys bigint[]
) language sql stable as $$
  select family.runs, family.last_run, trace.sort_at, trace.started_at, family.ended_at, family.waiting_ms,
    -- Not by `greatest` alone, which makes a number of null.
    case when family.ended_at >= trace.started_at
      then greatest(extract(epoch from family.ended_at - trace.started_at) * 1000 - family.waiting_ms, 0)
      else extract(epoch from family.ended_at - trace.started_at) * 0 end::double precision,
    trace.name, family.status, trace.session_id, trace.user_id, trace.thread_id, left(family.error, 1000),
    coalesce(total.steps, 0), coalesce(total.failures, 0), total.input_tokens, total.output_tokens,
    case when total.input_tokens is null and total.output_tokens is null then null
      else coalesce(total.input_tokens, 0) + coalesce(total.output_tokens, 0) end,
    total.cost, total.time_to_first_token_ms,
    coalesce(numbers.producers, '{}'), coalesce(numbers.first_seqs, '{}'), coalesce(numbers.last_seqs, '{}'), family.is_whole,
    coalesce(ran.fields, '{}'), coalesce(scored.scores, '[]'),
    array(
      select observability.trace_key(of_project, 'word', word) from unnest(family.words) as word
      union
      select observability.trace_key(of_project, split_part(field, ':', 1), substr(field, strpos(field, ':') + 1)) from unnest(ran.fields) as field
      union
      select observability.trace_key(of_project, 'score', score ->> 'name') from jsonb_array_elements(scored.scores) as score
      union
      select observability.trace_key(of_project, 'producer', producer::text) from unnest(numbers.producers) as producer
    )
  from observability.traces as trace
  cross join lateral (
    select array_agg(run.id order by run.sort_at, run.id) as runs,
      (array_agg(run.id order by run.sort_at desc, run.id desc))[1] as last_run,
      (array_agg(run.status order by run.sort_at desc, run.id desc))[1] as status,
      (array_agg(run.ended_at order by run.sort_at desc, run.id desc))[1] as ended_at,
      (array_agg(run.error order by run.sort_at desc, run.id desc))[1] as error,
      array[bool_and(run.has_start), bool_and(run.has_end)] as is_whole,
      array(select distinct word from unnest(string_to_array(string_agg(array_to_string(run.words, ' '), ' '), ' ')) as word where word <> '') as words,
      coalesce(sum(greatest(run.waited, 0)), 0)::double precision as waiting_ms
    from (
      select member.*, extract(epoch from member.sort_at - lag(member.ended_at) over (order by member.sort_at, member.id)) * 1000 as waited
      from (
        select trace.id, trace.sort_at, trace.ended_at, trace.status, trace.error, trace.start_event is not null as has_start,
          trace.end_event is not null as has_end, trace.start_words || trace.end_words as words
        where trace.paused_at is null
        union all
        select part.id, part.sort_at, part.ended_at, part.status, part.error, own.start_event is not null, own.end_event is not null,
          own.start_words || own.end_words
        from observability.segments_of(of_project, of_trace) as part
        join observability.traces as own on own.project_id = of_project and own.id = part.id
        where trace.paused_at is not null
      ) as member
    ) as run
  ) as family
  cross join lateral (
    select sum(part.steps)::bigint as steps, sum(part.failures)::bigint as failures,
      (case when sum(part.input_tokens) > 9007199254740991 then 9007199254740991 else sum(part.input_tokens) end)::bigint as input_tokens,
      (case when sum(part.output_tokens) > 9007199254740991 then 9007199254740991 else sum(part.output_tokens) end)::bigint as output_tokens,
      sum(observability.cost_of(
        part.uncached_tokens, part.cache_read_tokens, part.cache_write_tokens, part.output_tokens,
        price.input, price.cache_read, price.cache_write, price.output
      )) as cost,
      max(part.time_to_first_token_ms) as time_to_first_token_ms
    from (
      select step.model, step.hour, max(step.time_to_first_token_ms) as time_to_first_token_ms, count(*) as steps, count(*) filter (where step.end_status = 'failure') as failures,
        sum(step.input_tokens) as input_tokens, sum(step.output_tokens) as output_tokens, sum(step.uncached_tokens) as uncached_tokens,
        sum(step.cache_read_tokens) as cache_read_tokens, sum(step.cache_write_tokens) as cache_write_tokens
      from observability.traces as run
      join observability.observations as step on step.project_id = of_project and step.trace_id = run.id and step.day = run.day
        and (of_days is null or step.day = any(of_days))
      where run.project_id = of_project and run.id = any(family.runs)
      group by step.model, step.hour
    ) as part
    left join lateral observability.price_of(of_project, part.model, part.hour) as price
      on part.input_tokens is not null or part.output_tokens is not null
  ) as total
  cross join lateral (
    select array_agg(distinct said.field || ':' || left(said.value, 200)) as fields
    from observability.traces as run
    join observability.observations as step on step.project_id = of_project and step.trace_id = run.id and step.day = run.day
        and (of_days is null or step.day = any(of_days))
    cross join lateral (
      values ('kind', step.kind), ('model', step.model), (case when step.kind in ('tool', 'node') then step.kind end, step.name),
        ('code', step.code ->> 'file'), ('commit', step.code ->> 'commit')
    ) as said (field, value)
    where run.project_id = of_project and run.id = any(family.runs) and said.field is not null and said.value <> ''
  ) as ran
  cross join lateral (
    select array_agg(span.producer) as producers, array_agg(span.first_seq) as first_seqs, array_agg(span.last_seq) as last_seqs
    from (
      select said.producer, min(said.seq) as first_seq, max(said.seq) as last_seq
      from (
        select event.producer, event.seq
        from observability.traces as run
        cross join lateral (values (run.start_producer, run.start_seq), (run.end_producer, run.end_seq)) as event (producer, seq)
        where run.project_id = of_project and run.id = any(family.runs)
        union all
        select event.producer, event.seq
        from observability.traces as run
        join observability.observations as step on step.project_id = of_project and step.trace_id = run.id and step.day = run.day
        and (of_days is null or step.day = any(of_days))
        cross join lateral (values (step.start_producer, step.start_seq), (step.end_producer, step.end_seq)) as event (producer, seq)
        where run.project_id = of_project and run.id = any(family.runs)
      ) as said
      where said.producer is not null
      group by said.producer
    ) as span
  ) as numbers
  cross join lateral (
    select jsonb_agg(jsonb_build_object('name', each.name, 'value', each.value, 'count', each.count) order by each.name) as scores
    from (
      select score.name, avg(score.value) as value, count(*) as count
      from observability.scores as score
      where score.project_id = of_project and score.trace_id = any(family.runs)
      group by score.name order by score.name limit 100
    ) as each
  ) as scored
  where trace.project_id = of_project and trace.id = of_trace
$$;

-- Triggers: what leaves marks for those who count

-- What a change of prices means: all that was counted by them is to be counted again.
create function observability.prices_changed() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'prices' then
    insert into observability.trace_walks as walk (project_id, reason, before)
    select distinct project_id, 'prices', 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid from changed
    on conflict (project_id) do update set before = excluded.before;
  elsif exists (select from changed) then
    insert into observability.trace_walks as walk (project_id, reason, before)
    select id, 'prices', 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid from observability.projects as project
    where exists (select from observability.traces as trace where trace.project_id = project.id)
    on conflict (project_id) do update set before = excluded.before;
  end if;
  return null;
end
$$;
create trigger prices_inserted after insert on observability.prices
  referencing new table as changed for each statement execute function observability.prices_changed();
create trigger prices_updated after update on observability.prices
  referencing new table as changed for each statement execute function observability.prices_changed();
create trigger prices_deleted after delete on observability.prices
  referencing old table as changed for each statement execute function observability.prices_changed();
create trigger default_prices_inserted after insert on observability.default_prices
  referencing new table as changed for each statement execute function observability.prices_changed();
create trigger default_prices_updated after update on observability.default_prices
  referencing new table as changed for each statement execute function observability.prices_changed();

-- A score is given to a trace that may be long over.
create function observability.scores_changed() returns trigger language plpgsql as $$
begin
  insert into observability.trace_marks (project_id, trace_id) select distinct project_id, trace_id from changed;
  return null;
end
$$;
create trigger scores_inserted after insert on observability.scores
  referencing new table as changed for each statement execute function observability.scores_changed();
create trigger scores_deleted after delete on observability.scores
  referencing old table as changed for each statement execute function observability.scores_changed();

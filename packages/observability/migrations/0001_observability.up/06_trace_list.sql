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
  -- As in traces, of its first run.
  purpose text,
  -- The first 1,000 characters of it.
  error text,
  steps bigint not null,
  -- How many failures arose: failed steps that passed none on from a step in them, and the trace when its error is of no step.
  failures bigint not null,
  input_tokens bigint,
  output_tokens bigint,
  tokens bigint generated always as (
    case when input_tokens is not null or output_tokens is not null then coalesce(input_tokens, 0) + coalesce(output_tokens, 0) end
  ) stored,
  cost double precision,
  -- Of which the cost is made: `[[model, hour, uncached, cache_read, cache_write, output]]`; null when there are too many.
  usage jsonb,
  -- The longest of its model calls.
  time_to_first_token_ms double precision,
  -- Numbers of events, of each producer the first and the last.
  producers uuid[] not null,
  first_seqs bigint[] not null,
  last_seqs bigint[] not null,
  -- Whether its start and its end have arrived.
  is_whole boolean[] not null,
  -- What it ran, once each: `model:…`, `prompt:…`, `tool:…`, `node:…`, `kind:…`, `code:…`, `commit:…`; and what its start says it is to be found by.
  fields text[] not null,
  scores jsonb not null,
  -- By these it is found: of its fields, words, scores and producers, project and all in one number.
  keys bigint[] not null,
  input_line text,
  output_line text,
  primary key (project_id, trace_id)
);
-- With what figures over time are made of, so that they need not read the entries, which are twenty times as wide.
create index trace_entries_by_time on observability.trace_entries (project_id, sort_at, trace_id)
  include (status, duration_ms, time_to_first_token_ms, input_tokens, output_tokens, cost, purpose);
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
create index trace_entries_by_purpose on observability.trace_entries (project_id, purpose, sort_at, trace_id) where purpose is not null;
create index trace_entries_by_error on observability.trace_entries (project_id, sort_at, trace_id) where error is not null;
-- What ended in the last minutes.
create index trace_entries_by_end on observability.trace_entries (project_id, ended_at) where ended_at is not null;
create index trace_entries_by_keys on observability.trace_entries using gin (keys);
-- A rare word is in no list of the commonest, and taken for ten times as common as it is when that list is short: then a plan goes through the
-- newest traces for it (of a million for 200 ms, and 3 by the index).
alter table observability.trace_entries alter column keys set statistics 500;

-- Marks are only added and taken, so that writers never wait for each other.
create table observability.trace_marks (
  id bigint generated always as identity,
  project_id uuid not null,
  trace_id uuid not null
);
create index trace_marks_by_id on observability.trace_marks (id);
create index trace_marks_by_project on observability.trace_marks (project_id, id);
create index trace_marks_by_trace on observability.trace_marks (project_id, trace_id);

-- Projects whose prices have changed: their traces are priced anew, from the highest id down.
create table observability.repricings (
  project_id uuid primary key,
  before uuid not null
);

-- The values of a field, and what the live traces that have one are together. Changed by what a trace adds and takes when it is counted.
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
-- As `foldCase` writes it.
create index trace_groups_by_prefix on observability.trace_groups (
  project_id, field, (lower(lower(left(value, 200) collate "C") collate "default")) text_pattern_ops
);
-- Sessions and users are also sorted by what they cost.
create index trace_groups_by_cost on observability.trace_groups (project_id, field, cost, value) where last_at is not null;
create index trace_groups_by_tokens on observability.trace_groups (project_id, field, (input_tokens + output_tokens), value) where last_at is not null;
create index trace_groups_by_failures on observability.trace_groups (project_id, field, failures, value) where last_at is not null;

-- The live traces that began in an hour, packed by column: figures of a hundred thousand traces read a few megabytes, and not as many wide rows. All of it follows
-- from `trace_entries`. Every hour with such an entry has a row; whoever changes what is packed of an entry says so here in the same transaction, and until
-- the hour is packed anew its entries are read instead.
create table observability.trace_hours (
  project_id uuid not null,
  hour timestamptz not null,
  -- Null: what is packed is what the entries are.
  changed_at timestamptz default now(),
  traces integer not null default 0,
  -- The first letter of each trace's, in the order of their start.
  statuses bytea not null default '',
  -- A number of each trace, in the order of their start: `float8send`, or `int4send` where all are whole and small; NaN, or -1, where a trace has none,
  -- and empty where no trace has one.
  duration_ms bytea not null default '',
  time_to_first_token_ms bytea not null default '',
  input_tokens bytea not null default '',
  output_tokens bytea not null default '',
  cost bytea not null default '',
  primary key (project_id, hour)
);
create index trace_hours_changed on observability.trace_hours (changed_at) where changed_at is not null;

-- What the traces of a packed hour have said, field by field.
create table observability.trace_hour_fields (
  project_id uuid not null,
  hour timestamptz not null,
  field text not null,
  -- The values, each once.
  said json not null,
  -- Of each value, how many traces have it, and then which: their places in the columns of the hour, from 0. `int4send` each.
  counts bytea not null,
  places bytea not null,
  primary key (project_id, hour, field)
);

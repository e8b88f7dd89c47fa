-- Issues: what failing traces have in common

-- Every failing trace is of one issue, by the exact facts of where its failure arose. All but what people decided of it follows from the traces it
-- has now, and an issue without traces is gone: retention and deletions leave nothing that a trace has said.
create table observability.issues (
  project_id uuid not null,
  id uuid not null,
  -- SHA-256 of the project and the facts.
  fingerprint text not null,
  title text not null,
  -- `{path, function, kind, name, error_class, message}`: texts of which what varies is taken out.
  facts json not null,
  -- An `ignored` one whose time is over counts as open, whoever reads it.
  state text not null default 'open' check (state in ('open', 'ignored', 'closed')),
  -- Null: until somebody opens it.
  ignored_until timestamptz,
  closed_at timestamptz,
  closed_at_commit text,
  -- When it was last opened by a trace.
  reopened_at timestamptz,
  assignee text,
  tracker_url text,
  -- The access token's sub, or `operator`.
  changed_by text,
  changed_at timestamptz,
  -- It is one with that one: what has its fingerprint is of that, and nothing else is kept of it.
  merged_into uuid,
  -- Of its traces; settled whenever these change.
  traces bigint not null default 0,
  users bigint not null default 0,
  first_seen timestamptz,
  last_seen timestamptz,
  primary key (project_id, id),
  unique (project_id, fingerprint)
);
create index issues_by_time on observability.issues (project_id, last_seen, id);
create index issues_merged on observability.issues (project_id, merged_into) where merged_into is not null;
create index issues_by_traces on observability.issues (project_id, traces, id);

-- Which traces an issue has; evidence, of which nothing decides whose issue a trace is.
create table observability.issue_traces (
  project_id uuid not null,
  trace_id uuid not null,
  issue_id uuid not null,
  -- When the trace started.
  seen_at timestamptz not null,
  release text,
  commit text,
  -- What tells versions apart, where the trace says any.
  version text generated always as (coalesce(commit, release)) stored,
  user_id text,
  -- Where the failure arose; null when the trace died of an error of its own.
  step_id uuid,
  -- The code nearest to it, as the event has it.
  code json,
  primary key (project_id, trace_id)
);
create index issue_traces_by_time on observability.issue_traces (project_id, issue_id, seen_at, trace_id) include (user_id);
create index issue_traces_by_version on observability.issue_traces (project_id, issue_id, version, seen_at);

-- Traces that failed, or did before, and were counted since: left in the transaction that counts them, taken by whoever finds issues.
create table observability.issue_marks (
  project_id uuid not null,
  trace_id uuid not null
);
create index issue_marks_by_trace on observability.issue_marks (project_id, trace_id);

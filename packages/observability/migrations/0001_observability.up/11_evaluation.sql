-- Datasets, experiments and what their runs scored

create table observability.datasets (
  project_id uuid not null,
  id uuid not null,
  name text not null,
  description text not null,
  -- The newest version; writers hold this row while they make the next.
  version int not null default 0,
  items int not null default 0,
  input_schema json,
  expected_schema json,
  created_by text not null,
  created_at timestamptz not null default now(),
  changed_at timestamptz not null default now(),
  primary key (project_id, id),
  unique (project_id, name)
);

create table observability.dataset_versions (
  project_id uuid not null,
  dataset_id uuid not null,
  version int not null,
  author text not null,
  reason text not null,
  made_at timestamptz not null default now(),
  added int not null,
  changed int not null,
  deleted int not null,
  primary key (project_id, dataset_id, version)
);

-- What an item was from `version` on, until the version that changed or deleted it. JSON as it was sent, whose numbers jsonb would change.
create table observability.item_revisions (
  project_id uuid not null,
  dataset_id uuid not null,
  item_id uuid not null,
  version int not null,
  until_version int,
  input json not null,
  expected json not null,
  checks json not null,
  metadata json not null,
  split text,
  subject text,
  cluster text,
  is_required boolean not null,
  source json,
  -- The trace in `source`, by which the items of a deleted user's traces are found.
  trace_id uuid,
  -- Of input and expected value.
  content_hash text not null,
  -- Of all of it.
  revision_hash text not null,
  -- When its contents went with the user whose they were; runs of it that are reported later keep none either.
  redacted_at timestamptz,
  primary key (project_id, dataset_id, item_id, version)
);
create index item_revisions_newest on observability.item_revisions (project_id, dataset_id, content_hash) where until_version is null;
create unique index item_revisions_one_newest on observability.item_revisions (project_id, dataset_id, item_id) where until_version is null;
create index item_revisions_by_subject on observability.item_revisions (project_id, subject) where subject is not null;
create index item_revisions_by_trace on observability.item_revisions (project_id, trace_id) where trace_id is not null;

create table observability.experiments (
  project_id uuid not null,
  id uuid not null,
  dataset_id uuid not null,
  dataset_version int not null,
  split text,
  name text not null,
  branch text,
  commit text,
  is_dirty boolean not null,
  config json not null,
  -- The model call that the playground makes with each item, until it ends; null: the application runs them.
  call json,
  repetitions int not null,
  evaluators json not null,
  author text not null,
  state text not null default 'running' check (state in ('running', 'finished', 'cancelled')),
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  -- Items of the version and split.
  items int not null,
  -- Of each score, what it was when the experiment ended: `[{name, source, mean, low, high, items}]`.
  means json not null default '[]',
  -- The newest verdict of a gate: `{outcome, baseline, judged_at}`.
  gate json,
  primary key (project_id, id)
);
create index experiments_by_time on observability.experiments (project_id, created_at, id);
create index experiments_by_dataset on observability.experiments (project_id, dataset_id, branch, created_at);

-- One item once more: its own output and facts, since traces are dropped by day. Every attempt is kept; the highest counts.
create table observability.experiment_runs (
  project_id uuid not null,
  experiment_id uuid not null,
  item_id uuid not null,
  repetition int not null,
  attempt int not null,
  state text not null check (state in ('succeeded', 'failed', 'missing')),
  output json not null,
  error text,
  trace_id uuid,
  started_at timestamptz,
  duration_ms double precision,
  -- Of its trace, once that is counted.
  cost double precision,
  tokens bigint,
  -- Where its trace failed, when that was found: `{repo, commit, path, function, line}`.
  place json,
  -- What it did at each node, as `divergence` tells runs apart; null until its trace was read.
  nodes json,
  -- Results of the item's checks; null as long as they await the trace.
  checks json,
  is_newest boolean not null default true,
  primary key (project_id, experiment_id, item_id, repetition, attempt)
);
create index experiment_runs_unchecked on observability.experiment_runs (project_id, experiment_id) where checks is null and is_newest;
create index experiment_runs_by_trace on observability.experiment_runs (project_id, trace_id) where trace_id is not null;

create table observability.run_scores (
  project_id uuid not null,
  experiment_id uuid not null,
  item_id uuid not null,
  repetition int not null,
  attempt int not null,
  source text not null check (source in ('application', 'check', 'judge')),
  name text not null,
  evaluator_version text not null,
  -- Null where the evaluator gave none; `error` says why. Of a category the text, which is compared with nothing.
  value double precision,
  text_value text,
  is_boolean boolean not null,
  explanation text,
  error text,
  primary key (project_id, experiment_id, item_id, repetition, attempt, source, name, evaluator_version)
);

-- Which of two experiments' outputs is better, item by item; of the two the newer one by its id is always `newer_id`, whichever is the candidate.
create table observability.preferences (
  project_id uuid not null,
  newer_id uuid not null,
  older_id uuid not null,
  item_id uuid not null,
  source text not null check (source in ('person', 'judge')),
  -- The person, or the evaluator's name.
  author text not null,
  -- The evaluator's; 0 of people, who answer once an item: with repetition 0, not swapped.
  version int not null,
  repetition int not null,
  is_swapped boolean not null,
  -- The experiment whose output is better; null: a tie, or skipped.
  preferred uuid,
  is_skipped boolean not null,
  -- Why, as a judge explains it, or why it was skipped.
  reason text,
  made_at timestamptz not null default now(),
  primary key (project_id, newer_id, older_id, item_id, author, version, repetition, is_swapped)
);
create index preferences_by_older on observability.preferences (project_id, older_id, item_id);

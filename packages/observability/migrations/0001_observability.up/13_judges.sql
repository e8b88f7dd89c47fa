-- Models that are asked, and what they judged

create table observability.model_connections (
  id uuid primary key,
  project_id uuid not null references observability.projects (id) on delete cascade,
  name text not null,
  provider text not null check (provider in ('openai-compatible', 'anthropic')),
  base_url text not null,
  -- Null where the server asks for none.
  sealed_key text,
  created_by text not null,
  created_at timestamptz not null default now(),
  unique (project_id, name)
);

create table observability.evaluators (
  id uuid primary key,
  project_id uuid not null references observability.projects (id) on delete cascade,
  -- Of its scores, too.
  name text not null,
  -- The newest version.
  version int not null,
  -- How far a version agrees with people, as it was found last: `{version, is_calibrated, rates}`.
  calibration json,
  calibrated_at timestamptz,
  created_by text not null,
  created_at timestamptz not null default now(),
  unique (project_id, name)
);

-- Never changed: scores name the version that gave them.
create table observability.evaluator_versions (
  project_id uuid not null references observability.projects (id) on delete cascade,
  evaluator_id uuid not null references observability.evaluators (id) on delete cascade,
  version int not null,
  -- `{connection_id, model, rubric, variables, output, temperature, max_tokens}` of a judge, or `{kind: "checks", checks}`.
  definition json not null,
  author text not null,
  made_at timestamptz not null default now(),
  primary key (evaluator_id, version)
);

-- Which traces an evaluator judges: live ones as they end, or once those of the past, or the runs of an experiment.
create table observability.judge_rules (
  id uuid primary key,
  project_id uuid not null references observability.projects (id) on delete cascade,
  evaluator_id uuid not null references observability.evaluators (id) on delete cascade,
  kind text not null check (kind in ('live', 'past', 'experiment')),
  q text not null,
  experiment_id uuid,
  -- Of a judge of preferences: the experiment that it is compared with.
  baseline_id uuid,
  -- The part of the traces that is chosen, by their ids.
  sampling double precision not null,
  -- Dollars of a day; of a past or an experiment, in all. Null: as much as it takes.
  budget double precision,
  -- Live: whether it chooses. Otherwise: whether it was not cancelled.
  is_active boolean not null default true,
  -- Live: why its query can't be answered, since when, and when it is asked once more.
  problem text,
  problem_since timestamptz,
  retry_at timestamptz,
  created_by text not null,
  created_at timestamptz not null default now()
);
create index judge_rules_by_evaluator on observability.judge_rules (evaluator_id, created_at);
create index judge_rules_by_project on observability.judge_rules (project_id);

-- Every trace and run that a rule chose, and what became of it. States and who changes them are told in `judges/judgements.store.ts`.
create table observability.judgements (
  project_id uuid not null,
  rule_id uuid not null,
  -- The trace, or `item repetition attempt` of a run; of a pair of runs followed by `swapped` where the baseline's comes first.
  subject text not null,
  evaluator_id uuid not null,
  trace_id uuid,
  experiment_id uuid,
  item_id uuid,
  repetition int,
  attempt int,
  -- Of a pair of runs.
  baseline_id uuid,
  is_swapped boolean not null default false,
  state text not null default 'waiting' check (state in ('waiting', 'judged', 'skipped', 'failed', 'over_budget')),
  -- Why it was not judged, or is tried once more.
  reason text,
  version int,
  tries int not null default 0,
  -- While it waits: when it may be taken; whoever judges it moves this to the end of its lease.
  due_at timestamptz not null default now(),
  -- The try that holds it, which is the id of the try's trace.
  claim uuid,
  -- The traces of all tries, since what they say goes with what they judged.
  judge_traces uuid[] not null default '{}',
  cost double precision not null default 0,
  chosen_at timestamptz not null default now(),
  ended_at timestamptz,
  primary key (project_id, rule_id, subject)
);
create index judgements_due on observability.judgements (project_id, due_at) where state = 'waiting';
create index judgements_by_state on observability.judgements (project_id, evaluator_id, rule_id, state);
create index judgements_by_time on observability.judgements (project_id, evaluator_id, chosen_at, subject);
create index judgements_by_trace on observability.judgements (project_id, trace_id) where trace_id is not null;
create index judgements_by_item on observability.judgements (project_id, experiment_id, item_id) where item_id is not null;

-- Dollars by rule and day (UTC): reserved before a call at the most that it can cost, and settled after it. What a process that was killed had
-- reserved stays: nobody knows whether its call was made. Of a past or an experiment all is of the day on which it was made.
create table observability.judge_spending (
  project_id uuid not null,
  rule_id uuid not null,
  day date not null,
  dollars double precision not null,
  primary key (project_id, rule_id, day)
);

-- Live traces that have ended, and were counted since: left in the transaction that counts them, taken by whoever chooses those to be judged.
create table observability.judge_marks (
  project_id uuid not null,
  trace_id uuid not null,
  -- The one rule that has not looked at it yet; null: all of them.
  rule_id uuid,
  due_at timestamptz not null default now()
);
create index judge_marks_by_due on observability.judge_marks (project_id, due_at);
create index judge_marks_by_rule on observability.judge_marks (project_id, rule_id) where rule_id is not null;

-- Labels that people gave, and how often judges said what.
create index scores_of_people on observability.scores (project_id, name, received_at) where source = 'person';
create index scores_of_judges on observability.scores (project_id, name, evaluator_version, value, text_value) where source = 'judge';

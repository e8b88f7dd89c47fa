-- Alerts

-- Where a project's alerts are told. The address may hold a secret, as Slack's does, so it is sealed too.
create table observability.alert_channels (
  id uuid primary key,
  project_id uuid not null references observability.projects (id) on delete cascade,
  name text not null,
  kind text not null check (kind in ('webhook', 'slack', 'email', 'pagerduty', 'opsgenie')),
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
  -- Of a rule for issues: `[{id, change}]`, without their titles, which may be deleted before.
  issues jsonb,
  -- Of a rule for experiments: the one that has finished.
  experiment_id uuid,
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

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
  -- Whether a rule of judges chooses among its live traces: here, since whoever counts them must not ask another node.
  has_judges boolean not null default false,
  -- Whether links show its traces to people without an account.
  is_sharing boolean not null default false,
  -- Dollars of a day (UTC); null: without end.
  playground_budget double precision default 5,
  created_at timestamptz not null default now()
);
create index projects_by_tenant on observability.projects (tenant_id, created_at desc, id desc);

-- What is still to be deleted of projects that are no more, and what a consumer writes that remembers them for a while.
create table observability.deleted_projects (
  id uuid primary key,
  deleted_at timestamptz not null default now(),
  swept_at timestamptz
);

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

-- Charts on a project's dashboard: a number of the traces that a query finds, over time or by a field.
create table observability.charts (
  id uuid primary key,
  project_id uuid not null references observability.projects (id) on delete cascade,
  -- The access token's sub, or `operator`.
  author text not null,
  name text not null,
  measure text not null,
  -- A text field of the query, or `status`.
  grouped_by text,
  query text not null,
  kind text not null,
  place integer not null,
  changed_at timestamptz not null default now()
);
create index charts_by_project on observability.charts (project_id, place, id);

-- What the scores of a name mean, and which are taken.
create table observability.score_configs (
  project_id uuid not null references observability.projects (id) on delete cascade,
  name text not null,
  data_type text not null,
  direction text,
  minimum double precision,
  maximum double precision,
  categories text[] not null,
  target double precision,
  changed_at timestamptz not null,
  -- The access token's sub, or `operator`.
  changed_by text not null,
  primary key (project_id, name)
);

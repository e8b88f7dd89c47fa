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

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

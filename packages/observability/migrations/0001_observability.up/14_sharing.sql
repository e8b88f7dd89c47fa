-- Links that show one trace to whoever has them; those that are revoked are deleted. The token itself is kept nowhere.

create table observability.share_links (
  id uuid primary key,
  project_id uuid not null references observability.projects (id) on delete cascade,
  trace_id uuid not null,
  -- 256 random bits need no slow hash.
  token_sha256 text not null unique,
  -- Of `content`, `state` and `code`.
  shows text[] not null,
  created_by text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index share_links_by_project on observability.share_links (project_id, created_at desc, id desc);

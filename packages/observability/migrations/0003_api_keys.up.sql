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

-- Searches that people saved, and what was found for those that are watched. The lines themselves are the tenant's, in `watch_lines`.
create table codeindex.saved_searches (
  id uuid primary key,
  tenant_id text not null references codeindex.tenants on delete cascade,
  -- The `sub` of the person's access tokens.
  user_id text not null,
  name text not null,
  -- What `savedQuerySchema` of the contract reads.
  query jsonb not null,
  watch boolean not null default false,
  by_email boolean not null default false,
  -- Alerts that were found until then are read.
  read_at timestamptz not null,
  created_at timestamptz not null
);
create unique index saved_searches_once on codeindex.saved_searches (tenant_id, user_id, md5(query::text));
create index saved_searches_watched on codeindex.saved_searches (tenant_id) where watch;

create table codeindex.watch_alerts (
  id uuid primary key,
  search_id uuid not null references codeindex.saved_searches on delete cascade,
  tenant_id text not null references codeindex.tenants on delete cascade,
  repo_id uuid not null references codeindex.repositories on delete cascade,
  ref text not null,
  -- The indexed commit before, and the one whose lines were looked at.
  base text not null,
  commit text not null,
  -- Added lines that match, also those that are not kept.
  matches integer not null,
  -- What was not looked at.
  note text,
  found_at timestamptz not null,
  -- When it is to be mailed; null when it is not, or was.
  mail_at timestamptz,
  unique (search_id, repo_id, commit)
);
create index watch_alerts_repository on codeindex.watch_alerts (repo_id);
create index watch_alerts_mail on codeindex.watch_alerts (mail_at) where mail_at is not null;

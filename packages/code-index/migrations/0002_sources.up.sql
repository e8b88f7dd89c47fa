alter table codeindex.tenants
  -- The database role that queries of this tenant take on; null where the server does not let us make one.
  add column database_role text,
  -- Set while the tenant is being deleted in the background; nobody gets in any more.
  add column deleting_at timestamptz;

create table codeindex.credentials (
  id uuid primary key,
  tenant_id text not null references codeindex.tenants on delete cascade,
  name text not null,
  kind text not null check (kind in ('token', 'github_app', 'deploy_key')),
  -- The host it is for, as in the address: `github.com`, `git.example.org:8443`.
  host text not null,
  username text,
  -- GitHub App: its id and installation. Not secret.
  app_id text,
  installation_id text,
  sealed_secret text not null,
  created_by text not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  last_error text,
  unique (tenant_id, name)
);
create index credentials_host on codeindex.credentials (tenant_id, host);

alter table codeindex.repositories
  -- Branches that are indexed beside the default one.
  add column branches text[] not null default '{}',
  -- Patterns in .gitignore's language: when `include` has any only those paths are indexed, and never those of `exclude`.
  add column include text[] not null default '{}',
  add column exclude text[] not null default '{}',
  -- The credential chosen for this repository; otherwise that of its host.
  add column credential_id uuid references codeindex.credentials on delete set null,
  -- Sealed; signs this repository's webhook instead of CODEINDEX_WEBHOOK_SECRET.
  add column sealed_webhook_secret text,
  -- When the host was last asked for its branches.
  add column polled_at timestamptz,
  add column deleting_at timestamptz,
  -- `host/path` of the clone URL, in lower case: how `canonicalAddress` of webhooks/ writes the addresses that a delivery names.
  add column address text generated always as (
    lower(regexp_replace(regexp_replace(clone_url, '^(?:[A-Za-z]+://)?(?:[^/@]*@)?([^/:]*)(?::[0-9]+(?=/))?[:/]/?', '\1/'), '(?:\.git)?/*$', ''))
  ) stored,
  drop column indexed_commit,
  drop column indexed_at,
  drop column generation,
  drop column embedder,
  drop column files,
  drop column chunks,
  drop column behind;

-- A push is told of by name, without a tenant.
create index repositories_pushed on codeindex.repositories (lower(full_name));
create index repositories_address on codeindex.repositories (address);
create index repositories_polled on codeindex.repositories (polled_at nulls first);

create table codeindex.refs (
  ref_id uuid primary key,
  repo_id uuid not null references codeindex.repositories on delete cascade,
  tenant_id text not null references codeindex.tenants on delete cascade,
  -- A branch, without refs/heads/.
  name text not null,
  is_default boolean not null,
  -- The build that searches see; null before the first one.
  generation integer,
  indexed_commit text,
  indexed_at timestamptz,
  files integer not null default 0,
  chunks integer not null default 0,
  -- Pushes to the branch that were received, and how many of them the generation holds.
  pushes_received bigint not null default 0,
  pushes_indexed bigint not null default 0,
  -- The branch's newest commit that a push or the poll told of.
  head_commit text,
  -- Chunks of the generation that wait for a vector of the embedder in use, and what its provider last said.
  vectors_pending integer not null default 0,
  vectors_error text,
  created_at timestamptz not null default now(),
  unique (repo_id, name)
);
create unique index refs_one_default on codeindex.refs (repo_id) where is_default;
create unique index refs_generation on codeindex.refs (generation) where generation is not null;
create index refs_tenant on codeindex.refs (tenant_id);

alter table codeindex.index_jobs
  -- The branch; null means the default one, whatever it is called.
  add column ref text,
  -- The branch's `pushes_received` when the job was claimed.
  add column pushes_seen bigint not null default 0,
  -- The commit whose arrival asked for the job, when it is known.
  add column requested_commit text,
  drop constraint index_jobs_trigger_check,
  add constraint index_jobs_trigger_check
    check (trigger in ('api', 'webhook', 'poll', 'registration', 'retry', 'settings', 'upgrade'));

drop index codeindex.index_jobs_one_queued;
create unique index index_jobs_one_queued on codeindex.index_jobs (repo_id, coalesce(ref, '')) where status = 'queued';

-- What a delivery came to for one repository. One that names no repository of ours, or is not signed, leaves nothing.
create table codeindex.webhook_deliveries (
  id uuid primary key,
  tenant_id text not null references codeindex.tenants on delete cascade,
  repo_id uuid not null references codeindex.repositories on delete cascade,
  provider text not null check (provider in ('github', 'gitlab', 'gitea', 'bitbucket', 'generic')),
  -- The host's own identifier, or a hash of the body where it has none.
  delivery_id text not null,
  event text not null,
  full_name text not null,
  -- What of a push is needed to act on it again; never the whole body.
  push jsonb not null,
  status text not null check (status in ('accepted', 'ignored')),
  reason text not null default '',
  job_ids uuid[] not null default '{}',
  received_at timestamptz not null,
  replays integer not null default 0,
  replayed_at timestamptz
);
create unique index webhook_deliveries_once on codeindex.webhook_deliveries (provider, delivery_id, repo_id);
create index webhook_deliveries_tenant on codeindex.webhook_deliveries (tenant_id, id desc);
create index webhook_deliveries_repository on codeindex.webhook_deliveries (repo_id, id desc);
create index webhook_deliveries_age on codeindex.webhook_deliveries (received_at);

create table codeindex.previews (
  repo_id uuid primary key references codeindex.repositories on delete cascade,
  tenant_id text not null references codeindex.tenants on delete cascade,
  status text not null check (status in ('queued', 'running', 'ready', 'failed')),
  requested_at timestamptz not null,
  worker_id text,
  heartbeat_at timestamptz,
  completed_at timestamptz,
  commit text,
  result jsonb,
  error_message text
);

-- Null: every repository of the tenant.
alter table codeindex.developer_tokens add column repositories uuid[];

-- The tables of the index have another shape now and are made anew, from the sources.
update codeindex.repositories set index_status = 'pending';
update codeindex.index_jobs set status = 'failed', completed_at = now(), error_message = 'the code index was upgraded; a new job follows'
  where status = 'running';
insert into codeindex.index_jobs (job_id, repo_id, tenant_id, mode, trigger)
  select
    (lpad(to_hex((extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0') || '7' || substr(md5(id::text), 1, 3)
      || '8' || substr(md5(id::text), 4, 15))::uuid,
    id, tenant_id, 'full', 'upgrade'
  from codeindex.repositories
  on conflict do nothing;

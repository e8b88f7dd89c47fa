do $$
begin
  create extension if not exists vector;
  create extension if not exists pg_trgm;
exception
  when feature_not_supported or undefined_file then
    raise exception 'The code index needs the PostgreSQL extensions vector (pgvector 0.7 or newer) and pg_trgm: %', sqlerrm
      using hint = 'Install pgvector on the database server (Debian: postgresql-17-pgvector; Docker: the image pgvector/pgvector:pg17).';
  when insufficient_privilege then
    raise exception 'The code index may not create the PostgreSQL extensions vector and pg_trgm: %', sqlerrm
      using hint = 'Let a superuser run once in this database: create extension vector; create extension pg_trgm;';
end
$$;

do $$
begin
  if to_regtype('halfvec') is null then
    raise exception 'The code index needs pgvector 0.7 or newer, which has the type halfvec'
      using hint = 'Upgrade pgvector on the server, then run: alter extension vector update;';
  end if;
end
$$;

create schema codeindex;

-- Tenants, and who gets in. Each tenant's own tables are those of store/tenancy/tenant-template.ts.

create table codeindex.tenants (
  tenant_id text primary key,
  name text not null unique,
  -- Of its tables' template; 0 before they are made.
  schema_revision integer not null default 0,
  -- The database role that queries of this tenant take on; null where the server does not let us make one.
  database_role text,
  created_at timestamptz not null default now(),
  -- Set while the tenant is being deleted in the background; nobody gets in any more.
  deleting_at timestamptz,
  -- Set while contents of the tenant wait to be swept, as those of a branch that is not indexed any more.
  sweep_at timestamptz,
  -- When a job of it was last started, and of which mode: who waited longest is next.
  served_at timestamptz,
  served_mode text
);

create table codeindex.developer_tokens (
  id uuid primary key,
  tenant_id text not null references codeindex.tenants on delete cascade,
  token_hash text not null unique,
  token_prefix text not null,
  label text not null,
  -- Null: every repository of the tenant.
  repositories uuid[],
  -- Whether the token opens what its maker may see of other parts, too.
  traces boolean not null default false,
  -- Whether the token uploads SCIP indexes.
  uploads boolean not null default false,
  created_by text not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  revoked_at timestamptz
);
create index developer_tokens_tenant on codeindex.developer_tokens (tenant_id, created_at desc);

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

-- Repositories and their branches

create table codeindex.repositories (
  id uuid primary key,
  tenant_id text not null references codeindex.tenants on delete cascade,
  full_name text not null,
  clone_url text not null,
  -- `host/path` of the clone URL, in lower case: how `canonicalAddress` of webhooks/ writes the addresses that a delivery names.
  address text generated always as (
    lower(lower(regexp_replace(
      regexp_replace(clone_url, '^(?:[A-Za-z]+://)?(?:[^/@]*@)?([^/:]*)(?::[0-9]+(?=/))?[:/]/?', '\1/'), '(?:\.git)?/*$', ''
    ) collate "C") collate "default")
  ) stored,
  default_branch text,
  -- Branches that are indexed beside the default one.
  branches text[] not null default '{}',
  -- Patterns in .gitignore's language: when `include` has any only those paths are indexed, and never those of `exclude`.
  include text[] not null default '{}',
  exclude text[] not null default '{}',
  -- The credential chosen for this repository; otherwise that of its host.
  credential_id uuid references codeindex.credentials on delete set null,
  -- Sealed; signs this repository's webhook instead of CODEINDEX_WEBHOOK_SECRET.
  sealed_webhook_secret text,
  index_status text not null default 'pending' check (index_status in ('pending', 'indexing', 'ready', 'failed')),
  last_error text,
  created_at timestamptz not null default now(),
  -- When a job of it was last started.
  served_at timestamptz,
  -- When the host was last asked for its branches.
  polled_at timestamptz,
  deleting_at timestamptz
);
-- The hosts do not tell Acme/App from acme/app; small letters are those of `foldCase`. The name of one that is being deleted may be given again at once.
create unique index repositories_name on codeindex.repositories (tenant_id, lower(lower(full_name collate "C") collate "default")) where deleting_at is null;
create index repositories_full_name on codeindex.repositories (tenant_id, full_name);
-- A push is told of by name, without a tenant.
create index repositories_pushed on codeindex.repositories (lower(lower(full_name collate "C") collate "default"));
create index repositories_address on codeindex.repositories (address);
create index repositories_polled on codeindex.repositories (polled_at nulls first);
create index repositories_deleting on codeindex.repositories (deleting_at) where deleting_at is not null;

-- Numbers of builds, over all tenants.
create sequence codeindex.generations as integer;

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

-- Which branches' commits were fetched, and who is doing so: what an indexer takes its work from. The commits are the tenant's.
create table codeindex.histories (
  ref_id uuid primary key references codeindex.refs on delete cascade,
  -- The indexed commit they were fetched for, and how many were wanted.
  commit text,
  depth integer not null default 0,
  worker_id text,
  heartbeat_at timestamptz,
  tried_at timestamptz,
  -- Failures in a row, and when to try again.
  failures integer not null default 0,
  not_before timestamptz
);

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

-- Jobs, and the webhook deliveries that ask for them

create table codeindex.index_jobs (
  job_id uuid primary key,
  repo_id uuid not null references codeindex.repositories on delete cascade,
  tenant_id text not null references codeindex.tenants on delete cascade,
  -- The branch; null means the default one, whatever it is called.
  ref text,
  status text not null default 'queued' check (status in ('queued', 'running', 'succeeded', 'failed', 'cancelled')),
  mode text not null check (mode in ('full', 'incremental')),
  trigger text not null check (trigger in ('api', 'webhook', 'poll', 'registration', 'retry', 'settings')),
  -- The commit whose arrival asked for the job, when it is known.
  requested_commit text,
  commit text,
  -- The branch's `pushes_received` when the job was claimed.
  pushes_seen bigint not null default 0,
  attempt integer not null default 1,
  not_before timestamptz not null default now(),
  worker_id text,
  heartbeat_at timestamptz,
  progress jsonb not null default '{"phase": "queued", "done": 0, "total": 0}',
  progress_at timestamptz,
  cancel_requested boolean not null default false,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  completed_at timestamptz,
  error_message text
);
create unique index index_jobs_one_running on codeindex.index_jobs (repo_id) where status = 'running';
create unique index index_jobs_one_queued on codeindex.index_jobs (repo_id, coalesce(ref, '')) where status = 'queued';
create index index_jobs_queue on codeindex.index_jobs (not_before) where status = 'queued';
create index index_jobs_tenant on codeindex.index_jobs (tenant_id, job_id desc);
create index index_jobs_tenant_status on codeindex.index_jobs (tenant_id, status, job_id desc);
create index index_jobs_repository on codeindex.index_jobs (repo_id, job_id desc);
create index index_jobs_latest on codeindex.index_jobs (repo_id, coalesce(ref, ''), completed_at desc) where status in ('succeeded', 'failed');
create index index_jobs_ended on codeindex.index_jobs (completed_at) where completed_at is not null;
create index index_jobs_open on codeindex.index_jobs (status) where completed_at is null;

-- What a delivery came to for one repository. One that names no repository of ours, or is not signed, leaves nothing.
create table codeindex.webhook_deliveries (
  id uuid primary key,
  tenant_id text not null references codeindex.tenants on delete cascade,
  repo_id uuid not null references codeindex.repositories on delete cascade,
  provider text not null,
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

-- Tells indexers, which listen, that there may be something to do: a hint, since they look now and then in any case.
create function codeindex.tell_indexers() returns trigger language plpgsql as $$
begin
  perform pg_notify('codeindex_work', tg_argv[0]);
  return null;
end
$$;

create trigger tell_of_job after insert or update of status, not_before on codeindex.index_jobs
  for each row when (new.status = 'queued') execute function codeindex.tell_indexers('jobs');
create trigger tell_of_preview after insert or update of status on codeindex.previews
  for each row when (new.status = 'queued') execute function codeindex.tell_indexers('previews');
create trigger tell_of_vectors after insert or update of vectors_pending on codeindex.refs
  for each row when (new.vectors_pending > 0) execute function codeindex.tell_indexers('vectors');
create trigger tell_of_commit after insert or update of generation, indexed_commit on codeindex.refs
  for each row when (new.generation is not null) execute function codeindex.tell_indexers('histories');
create trigger tell_of_tenant after update of schema_revision on codeindex.tenants
  for each row execute function codeindex.tell_indexers('tenants');
create trigger tell_of_sweep after update of deleting_at, sweep_at on codeindex.tenants
  for each row when (new.deleting_at is not null or new.sweep_at is not null) execute function codeindex.tell_indexers('deletions');
create trigger tell_of_deletion after update of deleting_at on codeindex.repositories
  for each row when (new.deleting_at is not null) execute function codeindex.tell_indexers('deletions');

-- What every process that serves /mcp has to know of the calls of the others. Worth nothing after a crash of the server, so
-- neither is written to its log.

-- A caller has all calls of a minute left at `full_at`, and fewer before.
create unlogged table codeindex.mcp_allowances (
  caller text primary key,
  full_at timestamptz not null
) with (fillfactor = 50);

-- Calls that were cancelled where they don't run.
create unlogged table codeindex.mcp_cancellations (
  call text primary key,
  cancelled_at timestamptz not null
);

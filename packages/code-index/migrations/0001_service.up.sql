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

create table codeindex.tenants (
  tenant_id text primary key,
  name text not null unique,
  schema_revision integer not null default 0,
  created_at timestamptz not null default now()
);

create sequence codeindex.generations as integer;

create table codeindex.repositories (
  id uuid primary key,
  tenant_id text not null references codeindex.tenants on delete cascade,
  full_name text not null,
  clone_url text not null,
  default_branch text,
  index_status text not null default 'pending' check (index_status in ('pending', 'indexing', 'ready', 'failed')),
  indexed_commit text,
  indexed_at timestamptz,
  generation integer,
  embedder text,
  files integer not null default 0,
  chunks integer not null default 0,
  behind integer not null default 0,
  last_error text,
  created_at timestamptz not null default now(),
  unique (tenant_id, full_name)
);

create table codeindex.index_jobs (
  job_id uuid primary key,
  repo_id uuid not null references codeindex.repositories on delete cascade,
  tenant_id text not null references codeindex.tenants on delete cascade,
  status text not null default 'queued' check (status in ('queued', 'running', 'succeeded', 'failed', 'cancelled')),
  mode text not null check (mode in ('full', 'incremental')),
  trigger text not null check (trigger in ('api', 'webhook', 'poll', 'registration', 'retry')),
  commit text,
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
create unique index index_jobs_one_queued on codeindex.index_jobs (repo_id) where status = 'queued';
create index index_jobs_queue on codeindex.index_jobs (not_before) where status = 'queued';
create index index_jobs_tenant on codeindex.index_jobs (tenant_id, created_at desc, job_id);
create index index_jobs_repository on codeindex.index_jobs (repo_id, created_at desc);

create table codeindex.developer_tokens (
  id uuid primary key,
  tenant_id text not null references codeindex.tenants on delete cascade,
  token_hash text not null unique,
  token_prefix text not null,
  label text not null,
  created_by text not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  revoked_at timestamptz
);

create index developer_tokens_tenant on codeindex.developer_tokens (tenant_id, created_at desc);

-- What somebody asks git about a repository: an indexer that has, or fetches, its commits answers. The answer is the tenant's, in `git_answers`.
create table codeindex.git_reads (
  id uuid primary key,
  tenant_id text not null references codeindex.tenants on delete cascade,
  repo_id uuid not null references codeindex.repositories on delete cascade,
  question json not null,
  asked_at timestamptz not null default now(),
  -- When an indexer took it; nobody takes it a second time, since nobody would wait for that.
  claimed_at timestamptz,
  answered boolean not null default false
);
create index git_reads_open on codeindex.git_reads (asked_at) where claimed_at is null;
create index git_reads_tenant on codeindex.git_reads (tenant_id);

create trigger tell_of_git_read after insert on codeindex.git_reads
  for each row execute function codeindex.tell_indexers('git_reads');

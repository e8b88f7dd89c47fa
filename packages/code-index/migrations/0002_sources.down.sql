-- The index is made anew by the revision that follows: its tables have another shape.
do $$
declare
  tenant record;
begin
  for tenant in select name, database_role from codeindex.tenants loop
    execute format('drop schema if exists %I cascade', 'tenant_' || tenant.name);
    if exists (select from pg_roles where rolname = tenant.database_role) then
      execute format('drop owned by %I', tenant.database_role);
      execute format('drop role %I', tenant.database_role);
    end if;
  end loop;
end
$$;
update codeindex.tenants set schema_revision = 0;

alter table codeindex.developer_tokens drop column repositories;
drop table codeindex.previews;
drop table codeindex.webhook_deliveries;

-- Earlier revisions know one job of a repository at a time, of its default branch.
delete from codeindex.index_jobs where ref is not null;
drop index codeindex.index_jobs_one_queued;
create unique index index_jobs_one_queued on codeindex.index_jobs (repo_id) where status = 'queued';
update codeindex.index_jobs set trigger = 'api' where trigger in ('settings', 'upgrade');
alter table codeindex.index_jobs
  drop constraint index_jobs_trigger_check,
  add constraint index_jobs_trigger_check check (trigger in ('api', 'webhook', 'poll', 'registration', 'retry')),
  drop column ref,
  drop column pushes_seen,
  drop column requested_commit;

drop table codeindex.refs;

drop index codeindex.repositories_pushed;
alter table codeindex.repositories
  add column indexed_commit text,
  add column indexed_at timestamptz,
  add column generation integer,
  add column embedder text,
  add column files integer not null default 0,
  add column chunks integer not null default 0,
  add column behind integer not null default 0,
  drop column branches,
  drop column include,
  drop column exclude,
  drop column credential_id,
  drop column sealed_webhook_secret,
  drop column polled_at,
  drop column deleting_at,
  drop column address;
drop table codeindex.credentials;
alter table codeindex.tenants drop column database_role, drop column deleting_at;

update codeindex.repositories set index_status = 'pending';
update codeindex.index_jobs set status = 'failed', completed_at = now(), error_message = 'the code index was rolled back; a new job follows'
  where status = 'running';
insert into codeindex.index_jobs (job_id, repo_id, tenant_id, mode, trigger)
  select
    (lpad(to_hex((extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0') || '7' || substr(md5(id::text), 1, 3)
      || '8' || substr(md5(id::text), 4, 15))::uuid,
    id, tenant_id, 'full', 'api'
  from codeindex.repositories
  on conflict do nothing;

-- When a job of it was last started, and of which mode: who waited longest is next.
alter table codeindex.tenants add column served_at timestamptz, add column served_mode text;
alter table codeindex.repositories add column served_at timestamptz;

drop index codeindex.index_jobs_tenant;
drop index codeindex.index_jobs_repository;
create index index_jobs_tenant on codeindex.index_jobs (tenant_id, job_id desc);
create index index_jobs_tenant_status on codeindex.index_jobs (tenant_id, status, job_id desc);
create index index_jobs_repository on codeindex.index_jobs (repo_id, job_id desc);
create index index_jobs_latest on codeindex.index_jobs (repo_id, coalesce(ref, ''), completed_at desc) where status in ('succeeded', 'failed');
create index index_jobs_ended on codeindex.index_jobs (completed_at) where completed_at is not null;
create index index_jobs_open on codeindex.index_jobs (status) where completed_at is null;

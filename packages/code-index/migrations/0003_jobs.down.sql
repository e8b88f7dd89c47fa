drop index codeindex.index_jobs_open;
drop index codeindex.index_jobs_ended;
drop index codeindex.index_jobs_latest;
drop index codeindex.index_jobs_repository;
drop index codeindex.index_jobs_tenant_status;
drop index codeindex.index_jobs_tenant;
create index index_jobs_tenant on codeindex.index_jobs (tenant_id, created_at desc, job_id);
create index index_jobs_repository on codeindex.index_jobs (repo_id, created_at desc);

alter table codeindex.repositories drop column served_at;
alter table codeindex.tenants drop column served_mode, drop column served_at;

alter table codeindex.tenants drop column sweep_at;

delete from codeindex.repositories where deleting_at is not null;
drop index codeindex.repositories_name, codeindex.repositories_full_name, codeindex.repositories_deleting;
alter table codeindex.repositories add unique (tenant_id, full_name);

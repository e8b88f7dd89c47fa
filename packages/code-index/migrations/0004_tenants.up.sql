-- The hosts do not tell Acme/App from acme/app. Of two that were registered, the younger gets another name and stays.
update codeindex.repositories as younger set full_name = left(full_name, 190) || '-' || right(replace(id::text, '-', ''), 8)
  where exists (
    select from codeindex.repositories as older
    where older.tenant_id = younger.tenant_id and lower(older.full_name) = lower(younger.full_name) and older.id < younger.id
  );

alter table codeindex.repositories drop constraint repositories_tenant_id_full_name_key;
-- The name of one that is being deleted may be given again at once.
create unique index repositories_name on codeindex.repositories (tenant_id, lower(full_name)) where deleting_at is null;
create index repositories_full_name on codeindex.repositories (tenant_id, full_name);
create index repositories_deleting on codeindex.repositories (deleting_at) where deleting_at is not null;

alter table codeindex.tenants
  -- Set while contents of the tenant wait to be swept, as those of a branch that is not indexed any more.
  add column sweep_at timestamptz;

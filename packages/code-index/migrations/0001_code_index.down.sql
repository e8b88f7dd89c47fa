-- Roles are the server's and would stay when the schemas go.
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

drop schema codeindex cascade;

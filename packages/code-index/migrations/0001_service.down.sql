do $$
declare
  tenant text;
begin
  for tenant in select name from codeindex.tenants loop
    execute format('drop schema if exists %I cascade', 'tenant_' || tenant);
  end loop;
end
$$;

drop schema codeindex cascade;

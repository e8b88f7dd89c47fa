-- Sessions and users are also sorted by what they cost.
create index trace_groups_by_cost on observability.trace_groups (project_id, field, cost, value) where last_at is not null;
create index trace_groups_by_tokens on observability.trace_groups (project_id, field, (input_tokens + output_tokens), value) where last_at is not null;
create index trace_groups_by_failures on observability.trace_groups (project_id, field, failures, value) where last_at is not null;

-- No trace with the value begins before or after these: a list by time looks for a commit of last month there and not from today on.
-- They only ever grow apart, and are wider than the traces are once some are gone. Null while nobody knows them.
alter table observability.trace_groups add column earliest timestamptz, add column latest timestamptz;
update observability.trace_groups as t set earliest = known.earliest, latest = known.latest
from (
  select entry.project_id, split_part(said, ':', 1) as field, left(substr(said, strpos(said, ':') + 1), 200) as value,
    min(entry.sort_at) as earliest, max(entry.sort_at) as latest
  from observability.trace_entries as entry cross join lateral unnest(entry.fields) as said
  where said not like 'kind:%'
  group by 1, 2, 3
) as known
where t.project_id = known.project_id and t.field = known.field and t.value = known.value;

alter table observability.trace_groups drop column earliest, drop column latest;
drop index observability.trace_groups_by_failures;
drop index observability.trace_groups_by_tokens;
drop index observability.trace_groups_by_cost;

drop trigger scores_inserted on observability.scores;
drop trigger scores_deleted on observability.scores;
drop trigger prices_inserted on observability.prices;
drop trigger prices_updated on observability.prices;
drop trigger prices_deleted on observability.prices;
drop trigger default_prices_inserted on observability.default_prices;
drop trigger default_prices_updated on observability.default_prices;
drop function observability.scores_changed(), observability.prices_changed(), observability.entry_of(uuid, uuid, date[]),
  observability.lost_of(uuid, uuid[], bigint[], bigint[], boolean[]), observability.trace_key(uuid, text, text);
drop index observability.scores_by_name;
drop table observability.trace_groups, observability.trace_walks, observability.trace_marks, observability.trace_entries;

alter table observability.traces add column words text[] generated always as (start_words || end_words) stored;
create index traces_by_words on observability.traces using gin (words);

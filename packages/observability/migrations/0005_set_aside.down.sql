drop index observability.ingest_gaps_by_time;
alter table observability.ingest_gaps drop column id;
drop index observability.dead_letters_by_project;
drop index observability.dead_letters_by_state;
alter table observability.dead_letters
  drop column state,
  drop column deleted_by,
  drop column deleted_at,
  drop column replayed_by,
  drop column replayed_at,
  drop column fixed_by,
  drop column fixed_at,
  drop column fixed_entry,
  drop column is_whole;

-- Triggers: what leaves marks for those who count

-- What a change of prices means: all that was counted by them is to be counted again.
create function observability.prices_changed() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'prices' then
    insert into observability.trace_walks as walk (project_id, reason, before)
    select distinct project_id, 'prices', 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid from changed
    on conflict (project_id) do update set before = excluded.before;
  elsif exists (select from changed) then
    insert into observability.trace_walks as walk (project_id, reason, before)
    select id, 'prices', 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid from observability.projects as project
    where exists (select from observability.traces as trace where trace.project_id = project.id)
    on conflict (project_id) do update set before = excluded.before;
  end if;
  return null;
end
$$;
create trigger prices_inserted after insert on observability.prices
  referencing new table as changed for each statement execute function observability.prices_changed();
create trigger prices_updated after update on observability.prices
  referencing new table as changed for each statement execute function observability.prices_changed();
create trigger prices_deleted after delete on observability.prices
  referencing old table as changed for each statement execute function observability.prices_changed();
create trigger default_prices_inserted after insert on observability.default_prices
  referencing new table as changed for each statement execute function observability.prices_changed();
create trigger default_prices_updated after update on observability.default_prices
  referencing new table as changed for each statement execute function observability.prices_changed();

-- A score is given to a trace that may be long over.
create function observability.scores_changed() returns trigger language plpgsql as $$
begin
  insert into observability.trace_marks (project_id, trace_id) select distinct project_id, trace_id from changed;
  return null;
end
$$;
create trigger scores_inserted after insert on observability.scores
  referencing new table as changed for each statement execute function observability.scores_changed();
create trigger scores_updated after update on observability.scores
  referencing new table as changed for each statement execute function observability.scores_changed();
create trigger scores_deleted after delete on observability.scores
  referencing old table as changed for each statement execute function observability.scores_changed();

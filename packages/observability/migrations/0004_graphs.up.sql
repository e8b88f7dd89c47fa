-- Which task of a graph a node ran as, and where it said to go on; what was gone is found by joining both.
alter table observability.observations
  add column graph_step json,
  add column next json;

-- Where the beginning of a graph leads, which has no observation of its own.
alter table observability.payloads drop constraint payloads_part_check;
alter table observability.payloads add constraint payloads_part_check check (part in ('start', 'end', 'update', 'enter'));

-- An interrupted run names the checkpoint it waits at, and the run that goes on from there names it too: both are one trace.
alter table observability.traces
  add column paused_at text,
  add column resumed_from text,
  add column resumed_at timestamptz;
create index traces_paused on observability.traces (project_id, thread_id, paused_at) where paused_at is not null;
create index traces_resumed on observability.traces (project_id, thread_id, resumed_from) where resumed_from is not null;

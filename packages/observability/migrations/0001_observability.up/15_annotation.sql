-- Queues of traces that people label

create table observability.annotation_queues (
  id uuid primary key,
  project_id uuid not null references observability.projects (id) on delete cascade,
  name text not null,
  rubric text not null,
  -- Names of score configs, in the order in which they are asked.
  scores text[] not null,
  annotators int not null,
  dataset_id uuid,
  created_by text not null,
  created_at timestamptz not null default now(),
  unique (project_id, name)
);

-- A slot is what one person is asked of one trace, so nobody is asked for whom there is no slot. States are told in `annotation/slots.store.ts`.
create table observability.annotations (
  project_id uuid not null,
  queue_id uuid not null,
  trace_id uuid not null,
  -- 0 resolves labels that differ.
  slot int not null,
  -- Of the trace in its queue.
  place int not null,
  state text not null default 'waiting' check (state in ('waiting', 'labelled', 'skipped', 'resolved')),
  annotator text,
  -- While it waits: until when it is the annotator's alone.
  leased_until timestamptz,
  labels json not null default '[]',
  reason text,
  -- Once nothing of the trace waits: whether its labels differ.
  is_disputed boolean not null default false,
  primary key (project_id, queue_id, trace_id, slot)
);
create unique index annotations_by_person on observability.annotations (project_id, queue_id, trace_id, annotator) where slot > 0;
create index annotations_waiting on observability.annotations (project_id, queue_id, place, slot) where state = 'waiting';
create index annotations_by_trace on observability.annotations (project_id, trace_id);

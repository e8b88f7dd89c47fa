-- The words of all that traces and their steps took in, gave back, thought and died of: each distinct message once.

-- Whoever writes or deletes leaves word of it; a background task reads what was written, finds the texts in it, and lets go of those that no trace has.
create table observability.text_marks (
  id bigint generated always as identity,
  project_id uuid not null,
  -- 0: texts that a trace has let go of; 1: what was written; 2: what was stored before there was a search for it.
  turn smallint not null default 1,
  -- Null where contents (`blobs`) were written.
  trace_id uuid,
  -- Payloads of the trace; or of each content the first half of its hash.
  events uuid[] not null default '{}',
  -- Steps, or the trace itself, of whose errors the words are to be found.
  failed uuid[] not null default '{}',
  released bigint[] not null default '{}',
  marked_at timestamptz not null default now(),
  primary key (project_id, turn, id)
);

-- A message, a tool's result, a key of a state: its words in small letters and in their order, a blank before and behind each, and a line break between the
-- texts in it. Arguments of tools are words of their own, `args.<path>:<value>`.
create table observability.step_texts (
  project_id uuid not null,
  -- The first 64 bits of the hash of its JSON, which for a content are those of its name. Who finds two texts with the same bits has hidden one of his own.
  id bigint not null,
  words text not null,
  primary key (project_id, id)
) with (toast_tuple_target = 128);
do $$
begin
  alter table observability.step_texts alter column words set compression lz4;
exception when feature_not_supported then
  null;
end
$$;

-- A text is found by numbers of its project and its words, as a trace's entry is: so it has no limit of size, of words, or of a word's length. It is
-- told to be dear, so that no plan works the numbers out for each row instead of looking them up. In SQL it would take three times as long.
create function observability.text_keys(project uuid, words text) returns bigint[] language plpgsql immutable parallel safe cost 100 as $$
declare
  seed bigint := hashtextextended('text', uuid_hash_extended(project, 0));
begin
  return array(select hashtextextended(word collate "C", seed) from unnest(string_to_array(words, ' ')) as word where word <> '' and word <> E'\n');
end
$$;
create index step_texts_by_key on observability.step_texts using gin (observability.text_keys(project_id, words)) with (gin_pending_list_limit = 2048);

-- Which runs of traces have which texts, and the first of their steps that does, or the run itself. A row for each run and reading.
create table observability.text_references (
  project_id uuid not null,
  trace_id uuid not null,
  texts bigint[] not null,
  steps uuid[] not null
);
create index text_references_by_trace on observability.text_references (trace_id);
-- What is not in the index yet is looked through by everybody who asks it.
create index text_references_by_text on observability.text_references using gin (texts) with (gin_pending_list_limit = 1024);

insert into observability.text_marks (project_id, turn, trace_id, events, failed)
select project_id, 2, trace_id, coalesce(array_agg(event_id) filter (where event_id is not null), '{}'),
  coalesce(array_agg(owner_id) filter (where event_id is null), '{}')
from (
  select project_id, trace_id, event_id, null::uuid as owner_id from observability.payloads
  union all
  select project_id, trace_id, null, id from observability.observations where error is not null
  union all
  select project_id, id, null, id from observability.traces where error is not null
) as stored
group by project_id, trace_id
-- Ids rise with time: the newest first.
order by trace_id desc;

-- The words of a trace's name, ids, error, and of the beginning of its input and output: no whole payload is indexed. An
-- array and not a tsvector, whose making took longer than everything else that writing a trace does.
alter table observability.traces
  add column start_words text[],
  add column end_words text[];

create function pg_temp.words_of(text) returns text[] language sql as $$
  select array(
    select distinct left(word, 64) collate "C" from regexp_split_to_table(lower(left($1, 4096)), '[^[:alnum:]_]+') as word where word <> '' order by 1
  )
$$;
create function pg_temp.text_of(json) returns text language sql as $$
  select string_agg(part #>> '{}', ' ')
  from jsonb_path_query($1::jsonb, 'strict $.** ? (@.type() == "string" || @.type() == "number")') as part
$$;
update observability.traces as trace set
  start_words = pg_temp.words_of(concat_ws(' ', name, thread_id, session_id, user_id, (
    select pg_temp.text_of(payload.value) from observability.payloads as payload
    where payload.project_id = trace.project_id and payload.trace_id = trace.id and payload.day = trace.day and payload.event_id = trace.start_event
  ))),
  end_words = pg_temp.words_of(concat_ws(' ', error, (
    select pg_temp.text_of(payload.value) from observability.payloads as payload
    where payload.project_id = trace.project_id and payload.trace_id = trace.id and payload.day = trace.day and payload.event_id = trace.end_event
  )));

-- The embedded database has one session for everyone, which does not end with the migration.
drop function pg_temp.words_of(text), pg_temp.text_of(json);

alter table observability.traces add column words text[] generated always as (start_words || end_words) stored;
create index traces_by_words on observability.traces using gin (words);

-- Who gave a score in the console or by the API; null for one that came with the events.
alter table observability.scores add column author text;
create index scores_by_time on observability.scores (project_id, scored_at desc, event_id desc);

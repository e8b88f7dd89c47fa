-- The beginning of a trace's input and output as plain text, and what is found by words: no whole payload is indexed.
alter table observability.traces
  add column start_text text,
  add column end_text text;

update observability.traces as trace set
  start_text = (
    select left(string_agg(text #>> '{}', ' '), 4096)
    from observability.payloads as payload,
      jsonb_path_query(payload.value::jsonb, 'strict $.** ? (@.type() == "string" || @.type() == "number")') as text
    where payload.project_id = trace.project_id and payload.trace_id = trace.id and payload.day = trace.day and payload.event_id = trace.start_event
  ),
  end_text = (
    select left(string_agg(text #>> '{}', ' '), 4096)
    from observability.payloads as payload,
      jsonb_path_query(payload.value::jsonb, 'strict $.** ? (@.type() == "string" || @.type() == "number")') as text
    where payload.project_id = trace.project_id and payload.trace_id = trace.id and payload.day = trace.day and payload.event_id = trace.end_event
  );

alter table observability.traces add column search tsvector generated always as (
  to_tsvector(
    'simple',
    coalesce(name, '') || ' ' || coalesce(left(error, 4096), '') || ' ' || coalesce(thread_id, '') || ' ' || coalesce(session_id, '')
      || ' ' || coalesce(user_id, '') || ' ' || coalesce(start_text, '') || ' ' || coalesce(end_text, '')
  )
) stored;
create index traces_by_words on observability.traces using gin (search);

-- Who gave a score in the console or by the API; null for one that came with the events.
alter table observability.scores add column author text;
create index scores_by_time on observability.scores (project_id, scored_at desc, event_id desc);

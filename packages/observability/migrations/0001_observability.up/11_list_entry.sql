-- A trace's entry in the list

create function observability.trace_key(project uuid, field text, value text) returns bigint language sql immutable parallel safe as $$
  select hashtextextended(left(value, 200), hashtextextended(field, uuid_hash_extended(project, 0)))
$$;

-- Events known to be missing between a trace's own, and around them while its start or end has not arrived.
create function observability.lost_of(project uuid, producers uuid[], first_seqs bigint[], last_seqs bigint[], is_whole boolean[])
returns bigint language sql stable parallel safe as $$
  select coalesce(sum(gap.last_seq - gap.first_seq + 1), 0)::bigint
  from unnest(producers, first_seqs, last_seqs) as span (producer, first_seq, last_seq)
  cross join lateral (
    select coalesce(case when not is_whole[1] then (
        select max(before.first_seq) from observability.ingest_gaps as before
        where before.project_id = project and before.producer_id = span.producer and before.last_seq < span.first_seq
      ) end, span.first_seq) as first_seq,
      coalesce(case when not is_whole[2] then (
        select min(behind.last_seq) from observability.ingest_gaps as behind
        where behind.project_id = project and behind.producer_id = span.producer and behind.first_seq > span.last_seq
      ) end, span.last_seq) as last_seq
  ) as reach
  join observability.ingest_gaps as gap on gap.project_id = project and gap.producer_id = span.producer
    and gap.first_seq <= reach.last_seq and gap.last_seq >= reach.first_seq
$$;

-- What an entry says, of the trace that begins with this run. Told of which days its runs are, a plan looks at no others.
create function observability.entry_of(of_project uuid, of_trace uuid, of_days date[] default null)
returns table (
  runs uuid[], last_run uuid, sort_at timestamptz, started_at timestamptz, ended_at timestamptz, waiting_ms double precision,
  duration_ms double precision, name text, status text, session_id text, user_id text, thread_id text, error text, steps bigint,
  failures bigint, input_tokens bigint, output_tokens bigint, tokens bigint, cost double precision,
  time_to_first_token_ms double precision, producers uuid[], first_seqs bigint[], last_seqs bigint[], is_whole boolean[], fields text[], scores jsonb, keys bigint[],
  input_line text, output_line text
) language sql stable as $$
  select family.runs, family.last_run, trace.sort_at, trace.started_at, family.ended_at, family.waiting_ms,
    -- Not by `greatest` alone, which makes a number of null.
    case when family.ended_at >= trace.started_at
      then greatest(extract(epoch from family.ended_at - trace.started_at) * 1000 - family.waiting_ms, 0)
      else extract(epoch from family.ended_at - trace.started_at) * 0 end::double precision,
    trace.name, family.status, trace.session_id, trace.user_id, trace.thread_id, left(family.error, 1000),
    coalesce(total.steps, 0), told.failures, total.input_tokens, total.output_tokens,
    case when total.input_tokens is null and total.output_tokens is null then null
      else coalesce(total.input_tokens, 0) + coalesce(total.output_tokens, 0) end,
    total.cost, total.time_to_first_token_ms,
    coalesce(numbers.producers, '{}'), coalesce(numbers.first_seqs, '{}'), coalesce(numbers.last_seqs, '{}'), family.is_whole,
    coalesce(ran.fields, '{}'), coalesce(scored.scores, '[]'),
    array(
      select observability.trace_key(of_project, 'word', word) from unnest(family.words) as word
      union
      select observability.trace_key(of_project, split_part(field, ':', 1), substr(field, strpos(field, ':') + 1)) from unnest(ran.fields) as field
      union
      select observability.trace_key(of_project, 'score', score ->> 'name') from jsonb_array_elements(scored.scores) as score
      union
      select observability.trace_key(of_project, 'producer', producer::text) from unnest(numbers.producers) as producer
    ),
    coalesce(trace.start_line, told.first_line), coalesce(family.end_line, told.last_line)
  from observability.traces as trace
  cross join lateral (
    select array_agg(run.id order by run.sort_at, run.id) as runs,
      (array_agg(run.id order by run.sort_at desc, run.id desc))[1] as last_run,
      (array_agg(run.status order by run.sort_at desc, run.id desc))[1] as status,
      (array_agg(run.ended_at order by run.sort_at desc, run.id desc))[1] as ended_at,
      (array_agg(run.error order by run.sort_at desc, run.id desc))[1] as error,
      (array_agg(run.end_line order by run.sort_at desc, run.id desc))[1] as end_line,
      array[bool_and(run.has_start), bool_and(run.has_end)] as is_whole,
      array(select distinct word from unnest(string_to_array(string_agg(array_to_string(run.words, ' '), ' '), ' ')) as word where word <> '') as words,
      coalesce(sum(greatest(run.waited, 0)), 0)::double precision as waiting_ms
    from (
      select member.*, extract(epoch from member.sort_at - lag(member.ended_at) over (order by member.sort_at, member.id)) * 1000 as waited
      from (
        select trace.id, trace.sort_at, trace.ended_at, trace.status, trace.error, trace.end_line, trace.start_event is not null as has_start,
          trace.end_event is not null as has_end, trace.start_words || trace.end_words as words
        where trace.paused_at is null
        union all
        select part.id, part.sort_at, part.ended_at, part.status, part.error, own.end_line, own.start_event is not null, own.end_event is not null,
          own.start_words || own.end_words
        from observability.segments_of(of_project, of_trace) as part
        join observability.traces as own on own.project_id = of_project and own.id = part.id
        where trace.paused_at is not null
      ) as member
    ) as run
  ) as family
  cross join lateral (
    select sum(part.steps)::bigint as steps,
      (case when sum(part.input_tokens) > 9007199254740991 then 9007199254740991 else sum(part.input_tokens) end)::bigint as input_tokens,
      (case when sum(part.output_tokens) > 9007199254740991 then 9007199254740991 else sum(part.output_tokens) end)::bigint as output_tokens,
      sum(observability.cost_of(
        part.uncached_tokens, part.cache_read_tokens, part.cache_write_tokens, part.output_tokens,
        price.input, price.cache_read, price.cache_write, price.output
      )) as cost,
      max(part.time_to_first_token_ms) as time_to_first_token_ms
    from (
      select step.model, step.hour, max(step.time_to_first_token_ms) as time_to_first_token_ms, count(*) as steps,
        sum(step.input_tokens) as input_tokens, sum(step.output_tokens) as output_tokens, sum(step.uncached_tokens) as uncached_tokens,
        sum(step.cache_read_tokens) as cache_read_tokens, sum(step.cache_write_tokens) as cache_write_tokens
      from observability.traces as run
      join observability.observations as step on step.project_id = of_project and step.trace_id = run.id and step.day = run.day
        and (of_days is null or step.day = any(of_days))
      where run.project_id = of_project and run.id = any(family.runs)
      group by step.model, step.hour
    ) as part
    left join lateral observability.price_of(of_project, part.model, part.hour) as price
      on part.input_tokens is not null or part.output_tokens is not null
  ) as total
  cross join lateral (
    -- A failure that climbs through the steps around it is one.
    select (select count(*) from (select unnest(step.failed) except select unnest(step.passed_on)) as cause (id)) as failures,
      step.first_line, step.last_line
    from (
      select array_agg(step.id) filter (where step.end_status = 'failure') as failed,
        array_agg(step.parent_id) filter (where step.end_status = 'failure') as passed_on,
        (array_agg(step.start_line order by coalesce(step.started_at, step.seen_at), step.id) filter (where step.start_line is not null))[1] as first_line,
        (array_agg(step.end_line order by coalesce(step.ended_at, step.seen_at) desc, step.id desc) filter (where step.end_line is not null))[1] as last_line
      from observability.traces as run
      join observability.observations as step on step.project_id = of_project and step.trace_id = run.id and step.day = run.day
        and (of_days is null or step.day = any(of_days))
      where run.project_id = of_project and run.id = any(family.runs)
    ) as step
  ) as told
  cross join lateral (
    select array_agg(distinct said.field || ':' || left(said.value, 200)) || array(
      select unnest(trace.start_fields) union select 'tag:' || tag from unnest(trace.tags) as tag
    ) as fields
    from observability.traces as run
    join observability.observations as step on step.project_id = of_project and step.trace_id = run.id and step.day = run.day
        and (of_days is null or step.day = any(of_days))
    cross join lateral (
      values ('kind', step.kind), ('model', step.model), (case when step.kind in ('tool', 'node') then step.kind end, step.name),
        ('code', step.code ->> 'file'), ('commit', step.code ->> 'commit')
    ) as said (field, value)
    where run.project_id = of_project and run.id = any(family.runs) and said.field is not null and said.value <> ''
  ) as ran
  cross join lateral (
    select array_agg(span.producer) as producers, array_agg(span.first_seq) as first_seqs, array_agg(span.last_seq) as last_seqs
    from (
      select said.producer, min(said.seq) as first_seq, max(said.seq) as last_seq
      from (
        select event.producer, event.seq
        from observability.traces as run
        cross join lateral (values (run.start_producer, run.start_seq), (run.end_producer, run.end_seq)) as event (producer, seq)
        where run.project_id = of_project and run.id = any(family.runs)
        union all
        select event.producer, event.seq
        from observability.traces as run
        join observability.observations as step on step.project_id = of_project and step.trace_id = run.id and step.day = run.day
        and (of_days is null or step.day = any(of_days))
        cross join lateral (values (step.start_producer, step.start_seq), (step.end_producer, step.end_seq)) as event (producer, seq)
        where run.project_id = of_project and run.id = any(family.runs)
      ) as said
      where said.producer is not null
      group by said.producer
    ) as span
  ) as numbers
  cross join lateral (
    select jsonb_agg(jsonb_build_object('name', each.name, 'value', each.value, 'count', each.count) order by each.name) as scores
    from (
      select score.name, avg(score.value) as value, count(*) as count
      from observability.scores as score
      where score.project_id = of_project and score.trace_id = any(family.runs)
      group by score.name order by score.name limit 100
    ) as each
  ) as scored
  where trace.project_id = of_project and trace.id = of_trace
$$;

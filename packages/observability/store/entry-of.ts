import { sql, type RawBuilder } from "kysely";
import { comparedOf, countFailures } from "./count-failures.ts";
import { priceOf } from "./price-of.ts";
import { segmentsOf } from "./segments.ts";

type EntryWanted = {
  /** Named in every condition, so that the statement is seen to be about one project. */
  readonly project: RawBuilder<unknown>;
  /** The run with which the trace begins. */
  readonly trace: RawBuilder<unknown>;
  /** The days of its runs: a plan that is told of them looks at no others. */
  readonly days?: RawBuilder<unknown>;
};

/** Selects what the entry of a trace in the list says: the columns of `observability.trace_entries` but its key. */
export function entryOf({ project, trace, days }: EntryWanted): RawBuilder<unknown> {
  const ofDays = days === undefined ? sql`true` : sql`step.day = any(${days})`;
  return sql`(
  select family.runs, family.last_run, begun.sort_at, begun.started_at, family.ended_at, family.waiting_ms,
    -- Not by \`greatest\` alone, which makes a number of null.
    case when family.ended_at >= begun.started_at
      then greatest(extract(epoch from family.ended_at - begun.started_at) * 1000 - family.waiting_ms, 0)
      else extract(epoch from family.ended_at - begun.started_at) * 0 end::double precision as duration_ms,
    begun.name, family.status, begun.session_id, begun.user_id, begun.thread_id, left(family.error, 1000) as error,
    coalesce(total.steps, 0) as steps, told.failures, total.input_tokens, total.output_tokens,
    case when total.input_tokens is null and total.output_tokens is null then null
      else coalesce(total.input_tokens, 0) + coalesce(total.output_tokens, 0) end as tokens,
    total.cost, total.time_to_first_token_ms,
    coalesce(numbers.producers, '{}') as producers, coalesce(numbers.first_seqs, '{}') as first_seqs,
    coalesce(numbers.last_seqs, '{}') as last_seqs, family.is_whole,
    coalesce(ran.fields, '{}') as fields, coalesce(scored.scores, '[]') as scores,
    array(
      select observability.trace_key(${project}, 'word', word) from unnest(family.words) as word
      union
      select observability.trace_key(${project}, split_part(field, ':', 1), substr(field, strpos(field, ':') + 1)) from unnest(ran.fields) as field
      union
      select observability.trace_key(${project}, 'score', score ->> 'name') from jsonb_array_elements(scored.scores) as score
      union
      select observability.trace_key(${project}, 'producer', producer::text) from unnest(numbers.producers) as producer
    ) as keys,
    coalesce(begun.start_line, told.first_line) as input_line, coalesce(family.end_line, told.last_line) as output_line
  from observability.traces as begun
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
        select begun.id, begun.sort_at, begun.ended_at, begun.status, begun.error, begun.end_line, begun.start_event is not null as has_start,
          begun.end_event is not null as has_end, begun.start_words || begun.end_words as words
        where begun.paused_at is null
        union all
        select part.id, part.sort_at, part.ended_at, part.status, part.error, own.end_line, own.start_event is not null, own.end_event is not null,
          own.start_words || own.end_words
        from ${segmentsOf(project, trace)} as part
        join observability.traces as own on own.project_id = ${project} and own.id = part.id
        where begun.paused_at is not null
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
      join observability.observations as step on step.project_id = ${project} and step.trace_id = run.id and step.day = run.day
        and ${ofDays}
      where run.project_id = ${project} and run.id = any(family.runs)
      group by step.model, step.hour
    ) as part
    left join lateral ${priceOf(project, sql`part.model`, sql`part.hour`)} as price
      on part.input_tokens is not null or part.output_tokens is not null
  ) as total
  cross join lateral (
    select ${failuresOf(project, ofDays)} as failures, step.first_line, step.last_line
    from (
      select array_agg(row(step.id, step.parent_id, ${comparedOf(sql`step.error`)})) filter (where step.end_status = 'failure') as failed,
        (array_agg(step.start_line order by coalesce(step.started_at, step.seen_at), step.id) filter (where step.start_line is not null))[1] as first_line,
        (array_agg(step.end_line order by coalesce(step.ended_at, step.seen_at) desc, step.id desc) filter (where step.end_line is not null))[1] as last_line
      from observability.traces as run
      join observability.observations as step on step.project_id = ${project} and step.trace_id = run.id and step.day = run.day
        and ${ofDays}
      where run.project_id = ${project} and run.id = any(family.runs)
    ) as step
  ) as told
  cross join lateral (
    select array_agg(distinct said.field || ':' || left(said.value, 200)) || array(
      select unnest(begun.start_fields) union select 'tag:' || tag from unnest(begun.tags) as tag
    ) as fields
    from (
      -- Many steps say the same; sorting what all of them say would be half of the work for the entry.
      select distinct step.kind, step.model, case when step.kind in ('tool', 'node') then step.name end as name,
        step.code ->> 'file' as file, step.code ->> 'commit' as commit
      from observability.traces as run
      join observability.observations as step on step.project_id = ${project} and step.trace_id = run.id and step.day = run.day
        and ${ofDays}
      where run.project_id = ${project} and run.id = any(family.runs)
    ) as step
    cross join lateral (
      values ('kind', step.kind), ('model', step.model), (step.kind, step.name), ('code', step.file), ('commit', step.commit)
    ) as said (field, value)
    where said.field is not null and said.value <> ''
  ) as ran
  cross join lateral (
    select array_agg(span.producer) as producers, array_agg(span.first_seq) as first_seqs, array_agg(span.last_seq) as last_seqs
    from (
      select said.producer, min(said.seq) as first_seq, max(said.seq) as last_seq
      from (
        select event.producer, event.seq
        from observability.traces as run
        cross join lateral (values (run.start_producer, run.start_seq), (run.end_producer, run.end_seq)) as event (producer, seq)
        where run.project_id = ${project} and run.id = any(family.runs)
        union all
        select event.producer, event.seq
        from observability.traces as run
        join observability.observations as step on step.project_id = ${project} and step.trace_id = run.id and step.day = run.day
        and ${ofDays}
        cross join lateral (values (step.start_producer, step.start_seq), (step.end_producer, step.end_seq)) as event (producer, seq)
        where run.project_id = ${project} and run.id = any(family.runs)
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
      where score.project_id = ${project} and score.trace_id = any(family.runs)
      group by score.name order by score.name limit 100
    ) as each
  ) as scored
  where begun.project_id = ${project} and begun.id = ${trace}
  )`;
}

/** Of most traces no step failed, and for those nothing is looked up. */
function failuresOf(project: RawBuilder<unknown>, ofDays: RawBuilder<unknown>): RawBuilder<number> {
  const count = countFailures({
    failed: sql`failed`,
    isStep: (id) => sql`exists (
      select from observability.traces as run
      join observability.observations as step on step.project_id = ${project} and step.trace_id = run.id and step.day = run.day
        and ${ofDays} and step.id = ${id}
      where run.project_id = ${project} and run.id = any(family.runs)
    )`,
    trace: { status: sql`family.status`, error: sql`family.error` },
  });
  return sql<number>`case
    when step.failed is not null then (
      with failed as materialized (select * from unnest(step.failed) as step (id uuid, parent_id uuid, error text))
      select ${count}
    )
    when family.status = 'failure' then 1 else 0 end`;
}

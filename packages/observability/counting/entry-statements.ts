import { sql, type RawBuilder } from "kysely";
import { selectCost, selectPrice } from "#prices/select-price.ts";
import { NUMBERS, TRACE_NUMBERS } from "#step-numbers.ts";
import { isLive } from "#store/live-traces.ts";
import { ENTRY_COLUMNS } from "./entry-columns.ts";
import { hourOf, PACKED_COLUMNS } from "./packed-columns.ts";
import { selectSteps } from "./trace-parts.ts";

/** Facts decided by the parts of a trace, as its entry holds them. */
export type FoldedTrace = {
  readonly trace_id: string;
  readonly ids: readonly string[];
  readonly days: readonly string[];
  readonly last_run: string;
} & Readonly<Record<string, unknown>>;

/** The numbers of a trace as a record has them. */
const NUMBER_COLUMNS = sql.join(
  TRACE_NUMBERS.map((name) => sql`${sql.ref(name)} ${sql.raw(NUMBERS[name].unit === "count" ? "bigint" : "double precision")}`),
);
const columns = sql.join(ENTRY_COLUMNS.map((name) => sql.ref(name)));
const packed = sql.join(["trace_id", ...PACKED_COLUMNS].map((name) => sql.ref(name)));

export type Touched = { readonly sessions: readonly string[]; readonly users: readonly string[] };

/**
 * Writes the entries of traces, and what that changes of the groups they belong to. Runs that belong to a trace no longer are marked, for they are
 * traces of their own now; before all other marks, since a shard of a cluster has no numbers to give. Whoever calls holds the project's lock, so that
 * no older count replaces a newer one.
 *
 * @param ids Any runs of the traces; of those among them that begin no trace any more the entries go.
 * @param days Of all these runs: a plan that is told of them looks at no others.
 */
export function writeEntriesStatement(
  projectId: string,
  { ids, traces, days }: { readonly ids: readonly string[]; readonly traces: readonly FoldedTrace[]; readonly days: readonly string[] },
): RawBuilder<Touched> {
  const project = sql`${projectId}::uuid`;
  return changeEntries(
    project,
    sql`
    given as materialized (
      select unnest(${ids}::uuid[]) as id
    ), fresh as materialized (
      select trace_id, ${columns} from ${readEntries(project, { traces, days: sql`${days}::date[]` })} as entry
    ), stale as materialized (
      select entry.* from observability.trace_entries as entry
      where entry.project_id = ${project}
        and entry.trace_id in (select id from given union select trace_id from fresh union select unnest(runs) from fresh)
    ), to_issues as (
      insert into observability.issue_marks (project_id, trace_id)
      select ${project}, trace_id from fresh where status = 'failure' union select ${project}, trace_id from stale where status = 'failure'
    ), to_judges as (
      insert into observability.judge_marks (project_id, trace_id)
      select ${project}, trace_id from fresh where status in ('success', 'failure') and ${isLive("fresh")}
        and exists (select from observability.projects where id = ${project} and has_judges)
    )`,
  );
}

/** Prices entries anew by the sums of their tokens; a trace of which there are too many to be kept is marked, to be counted from its steps. */
export function repriceStatement(projectId: string, ids: readonly string[]): RawBuilder<Touched> {
  const project = sql`${projectId}::uuid`;
  const kept = sql.join(ENTRY_COLUMNS.map((name) => (name === "cost" ? sql`priced.cost` : sql.ref(`entry.${name}`))));
  return changeEntries(
    project,
    sql`
    given as materialized (
      select null::uuid as id where false
    ), entry as materialized (
      select entry.* from observability.trace_entries as entry where entry.project_id = ${project} and entry.trace_id = any(${ids}::uuid[])
    ), counted_anew as (
      insert into observability.trace_marks (id, project_id, trace_id) overriding system value
      select 0, ${project}, trace_id from entry where usage is null
    ), fresh as materialized (
      select entry.trace_id, ${kept}
      from entry cross join lateral (
        select sum(${selectCost("part", "price")}) as cost
        from (
          select said ->> 0 as model, (said ->> 1)::timestamptz as hour, (said ->> 2)::double precision as uncached_tokens,
            (said ->> 3)::double precision as cache_read_tokens, (said ->> 4)::double precision as cache_write_tokens,
            (said ->> 5)::double precision as output_tokens, (said ->> 6)::double precision as reported_cost
          from jsonb_array_elements(entry.usage) as said
        ) as part
        left join lateral ${selectPrice(project, sql`part.model`, sql`part.hour`)} as price on true
      ) as priced
      where entry.usage is not null and priced.cost is distinct from entry.cost
    ), stale as materialized (
      select entry.* from entry join fresh on fresh.trace_id = entry.trace_id
    )`,
  );
}

/** Adds to the decided facts the rest of an entry: by which words, fields, scores and producers its trace is found. */
function readEntries(
  project: RawBuilder<unknown>,
  { traces, days }: { readonly traces: readonly FoldedTrace[]; readonly days: RawBuilder<unknown> },
): RawBuilder<unknown> {
  const steps = selectSteps(project, days);
  const runs = sql`unnest(family.ids) as member (id) join observability.traces as run on run.project_id = ${project} and run.id = member.id`;
  return sql`(
  select family.*, family.ids as runs, begun.sort_at, begun.started_at, begun.name, begun.session_id, begun.user_id, begun.thread_id, begun.purpose,
    coalesce(numbers.producers, '{}') as producers, coalesce(numbers.first_seqs, '{}') as first_seqs, coalesce(numbers.last_seqs, '{}') as last_seqs,
    coalesce(ran.fields, '{}') as fields, coalesce(scored.scores, '[]') as scores,
    array(
      select observability.trace_key(${project}, 'word', word)
      from (select distinct unnest(run.start_words || run.end_words) as word from ${runs}) as said where word <> ''
      union
      select observability.trace_key(${project}, 'word', word) from unnest(family.line_words) as word
      union
      select observability.trace_key(${project}, split_part(field, ':', 1), substr(field, strpos(field, ':') + 1)) from unnest(ran.fields) as field
      union
      select observability.trace_key(${project}, 'score', score ->> 'name') from jsonb_array_elements(scored.scores) as score
      union
      select observability.trace_key(${project}, 'producer', producer::text) from unnest(numbers.producers) as producer
    ) as keys
  from jsonb_to_recordset(${JSON.stringify(traces)}::jsonb) as family (
    trace_id uuid, ids uuid[], days date[], last_run uuid, ended_at timestamptz, waiting_ms double precision,
    status text, error text, steps bigint, failures bigint, is_whole boolean[], input_line text, output_line text, line_words text[], usage jsonb, ${NUMBER_COLUMNS}
  )
  join observability.traces as begun on begun.project_id = ${project} and begun.id = family.trace_id
  cross join lateral (
    select array_agg(distinct said.field || ':' || left(said.value, 200)) || array(
      select unnest(begun.start_fields) union select 'tag:' || tag from unnest(begun.tags) as tag
    ) as fields
    from (
      -- Many steps say the same; sorting what all of them say would be half of the work for the entry.
      select distinct step.kind, step.model, step.prompt, case when step.kind in ('tool', 'node') then step.name end as name,
        step.code ->> 'file' as file, step.code ->> 'commit' as commit
      from ${steps}
    ) as step
    cross join lateral (
      values ('kind', step.kind), ('model', step.model), ('prompt', step.prompt), (step.kind, step.name), ('code', step.file), ('commit', step.commit)
    ) as said (field, value)
    where said.field is not null and said.value <> ''
  ) as ran
  cross join lateral (
    select array_agg(span.producer) as producers, array_agg(span.first_seq) as first_seqs, array_agg(span.last_seq) as last_seqs
    from (
      select said.producer, min(said.seq) as first_seq, max(said.seq) as last_seq
      from (
        select event.producer, event.seq
        from ${runs}
        cross join lateral (values (run.start_producer, run.start_seq), (run.end_producer, run.end_seq)) as event (producer, seq)
        union all
        select event.producer, event.seq
        from ${steps}
        cross join lateral (values (step.start_producer, step.start_seq), (step.end_producer, step.end_seq)) as event (producer, seq)
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
      where score.project_id = ${project} and score.trace_id = any(family.ids) and score.value is not null
      group by score.name order by score.name limit 100
    ) as each
  ) as scored
  )`;
}

/** @param relations `given`: runs of the traces, `fresh`: their entries as they are to be, and `stale`: those that these replace. */
function changeEntries(project: RawBuilder<unknown>, relations: RawBuilder<unknown>): RawBuilder<Touched> {
  return sql<Touched>`
    with ${relations}, gone as (
      delete from observability.trace_entries as entry using stale
      where entry.project_id = ${project} and entry.trace_id = stale.trace_id and not exists (select from fresh where fresh.trace_id = stale.trace_id)
    ), put as (
      insert into observability.trace_entries as entry (project_id, trace_id, ${columns})
      select ${project}, trace_id, ${columns} from fresh
      on conflict (project_id, trace_id) do update set ${sql.join(ENTRY_COLUMNS.map((name) => sql`${sql.ref(name)} = ${sql.ref(`excluded.${name}`)}`))}
    ), left_alone as (
      insert into observability.trace_marks (id, project_id, trace_id) overriding system value
      select 0, ${project}, run from (
        select unnest(runs) from stale except select id from given except select unnest(runs) from fresh
      ) as parted (run)
    ), live_fresh as (
      select * from fresh where ${isLive("fresh")}
    ), live_stale as (
      select * from stale where ${isLive("stale")}
    ), moved as (
      (select ${packed} from live_fresh except select ${packed} from live_stale) union all (select ${packed} from live_stale except select ${packed} from live_fresh)
    ), unpacked as (
      insert into observability.trace_hours as t (project_id, hour, changed_at)
      select distinct ${project}, ${hourOf(sql`sort_at`)}, now() from moved
      on conflict (project_id, hour) do update set changed_at = excluded.changed_at where t.changed_at is null
    ), unsaid as (
      delete from observability.trace_hour_fields as t using (select distinct ${hourOf(sql`sort_at`)} as hour from moved) as changed
      where t.project_id = ${project} and t.hour = changed.hour
    ), contributions as (
      select 1 as sign, fields, sort_at, name, session_id, user_id, thread_id, status, input_tokens, output_tokens, cost from live_fresh
      union all
      select -1, fields, sort_at, name, session_id, user_id, thread_id, status, input_tokens, output_tokens, cost from live_stale
    ), changes as (
      select said.field, left(said.value, 200) as value, sum(sign) as traces, coalesce(sum(sign) filter (where status = 'failure'), 0) as failures,
        coalesce(sum(sign * input_tokens::numeric), 0) as input_tokens, coalesce(sum(sign * output_tokens::numeric), 0) as output_tokens,
        coalesce(sum(sign * cost), 0) as cost, coalesce(sum(sign) filter (where input_tokens is not null), 0) as with_input,
        coalesce(sum(sign) filter (where output_tokens is not null), 0) as with_output,
        coalesce(sum(sign) filter (where cost is not null), 0) as with_cost, min(sort_at) filter (where sign > 0) as earliest,
        max(sort_at) filter (where sign > 0) as latest, min(sort_at) filter (where sign < 0) as earliest_before,
        max(sort_at) filter (where sign < 0) as latest_before
      from contributions
      cross join lateral (
        values ('name', name), ('session', session_id), ('user', user_id), ('thread', thread_id)
        union all
        select split_part(field, ':', 1), substr(field, strpos(field, ':') + 1) from unnest(fields) as field where field not like 'kind:%'
      ) as said (field, value)
      where said.value <> ''
      group by 1, 2
    ), grouped as (
      insert into observability.trace_groups as t (
        project_id, field, value, traces, failures, input_tokens, output_tokens, cost, with_input, with_output, with_cost, earliest, latest
      )
      select ${project}, field, value, traces, failures, input_tokens, output_tokens, cost, with_input, with_output, with_cost, earliest, latest
      from changes
      where traces <> 0 or failures <> 0 or input_tokens <> 0 or output_tokens <> 0 or cost <> 0 or with_input <> 0 or with_output <> 0
        or with_cost <> 0 or earliest < earliest_before or latest > latest_before
      on conflict (project_id, field, value) do update set
        traces = t.traces + excluded.traces, failures = t.failures + excluded.failures, input_tokens = t.input_tokens + excluded.input_tokens,
        output_tokens = t.output_tokens + excluded.output_tokens, cost = t.cost + excluded.cost, with_input = t.with_input + excluded.with_input,
        with_output = t.with_output + excluded.with_output, with_cost = t.with_cost + excluded.with_cost,
        earliest = case when t.earliest is not null then least(t.earliest, excluded.earliest) end,
        latest = case when t.latest is not null then greatest(t.latest, excluded.latest) end
    )
    select coalesce(array_agg(value) filter (where field = 'session'), '{}') as sessions,
      coalesce(array_agg(value) filter (where field = 'user'), '{}') as users
    from changes`;
}

/** The times of sessions and users, and those of which nothing is left. To be run after those that change entries, whose writes one statement does not see. */
export function settleGroupsStatement(projectId: string, { sessions, users }: Touched) {
  const ofGroup = (column: string) => sql`
    observability.trace_entries as entry where project_id = ${projectId}::uuid and ${sql.ref(column)} = t.value and ${isLive("entry")}`;
  const timesOf = (field: string, column: string, values: readonly string[]) => sql`
    update observability.trace_groups as t set
      first_at = (select sort_at from ${ofGroup(column)} order by sort_at limit 1),
      last_at = (select sort_at from ${ofGroup(column)} order by sort_at desc limit 1)
    where t.project_id = ${projectId}::uuid and t.field = ${field} and t.value = any(${values}::text[]) and t.traces > 0
    returning 1`;
  return sql`
    with of_sessions as (${timesOf("session", "session_id", sessions)}), of_users as (${timesOf("user", "user_id", users)})
    delete from observability.trace_groups where project_id = ${projectId}::uuid and traces <= 0`;
}

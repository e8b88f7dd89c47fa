import { sql, type RawBuilder } from "kysely";
import { ENTRY_COLUMNS } from "./entry-columns.ts";
import { entryOf } from "./entry-of.ts";
import { hourOf, PACKED_COLUMNS } from "./packed-columns.ts";
import { beginningOf } from "./segments.ts";

const columns = sql.join(ENTRY_COLUMNS.map((name) => sql.ref(name)));
const packed = sql.join(["trace_id", ...PACKED_COLUMNS].map((name) => sql.ref(name)));
const entryColumns = sql.join(ENTRY_COLUMNS.map((name) => sql.ref(`entry.${name}`)));

/**
 * Counts traces of a project anew, given any runs of theirs, and what that changes of the groups they belong to. Runs that belong to
 * a trace no longer are marked, for they are traces of their own now; before all other marks, since a shard of a cluster has no numbers to give. Whoever calls holds the project's lock, so that no older count replaces a newer one.
 */
export function recountStatement(
  projectId: string,
  ids: readonly string[],
  days: readonly string[],
): RawBuilder<{ sessions: string[]; users: string[] }> {
  const project = sql`${projectId}::uuid`;
  return sql`
    with given as materialized (
      select unnest(${ids}::uuid[]) as id
    ), beginnings as materialized (
      select distinct case when run.resumed_from is null then run.id else ${beginningOf(project, sql`run.id`)} end as id
      from given join observability.traces as run on run.project_id = ${project} and run.id = given.id
    ), fresh as materialized (
      select beginning.id as trace_id, ${entryColumns}
      from beginnings as beginning cross join lateral ${entryOf({ project, trace: sql`beginning.id`, days: sql`${days}::date[]` })} as entry
      where entry.sort_at is not null
    ), stale as materialized (
      select entry.* from observability.trace_entries as entry
      where entry.project_id = ${project}
        and entry.trace_id in (select id from given union select trace_id from fresh union select unnest(runs) from fresh)
    ), gone as (
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
    ), moved as (
      (select ${packed} from fresh except select ${packed} from stale) union all (select ${packed} from stale except select ${packed} from fresh)
    ), unpacked as (
      insert into observability.trace_hours as t (project_id, hour, changed_at)
      select distinct ${project}, ${hourOf(sql`sort_at`)}, now() from moved
      on conflict (project_id, hour) do update set changed_at = excluded.changed_at where t.changed_at is null
    ), unsaid as (
      delete from observability.trace_hour_fields as t using (select distinct ${hourOf(sql`sort_at`)} as hour from moved) as changed
      where t.project_id = ${project} and t.hour = changed.hour
    ), contributions as (
      select 1 as sign, fields, sort_at, name, session_id, user_id, thread_id, status, input_tokens, output_tokens, cost from fresh
      union all
      select -1, fields, sort_at, name, session_id, user_id, thread_id, status, input_tokens, output_tokens, cost from stale
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

/** The times of sessions and users, and those of which nothing is left. To be run after {@link recountStatement}, whose writes one statement does not see. */
export function settleGroupsStatement(
  projectId: string,
  { sessions, users }: { readonly sessions: readonly string[]; readonly users: readonly string[] },
) {
  const timesOf = (field: string, column: string, values: readonly string[]) => sql`
    update observability.trace_groups as t set
      first_at = (select sort_at from observability.trace_entries where project_id = ${projectId}::uuid and ${sql.ref(column)} = t.value order by sort_at limit 1),
      last_at = (select sort_at from observability.trace_entries where project_id = ${projectId}::uuid and ${sql.ref(column)} = t.value order by sort_at desc limit 1)
    where t.project_id = ${projectId}::uuid and t.field = ${field} and t.value = any(${values}::text[]) and t.traces > 0
    returning 1`;
  return sql`
    with of_sessions as (${timesOf("session", "session_id", sessions)}), of_users as (${timesOf("user", "user_id", users)})
    delete from observability.trace_groups where project_id = ${projectId}::uuid and traces <= 0`;
}

import { sql, type RawBuilder } from "kysely";
import { MAX_GROUPED_TRACES, type ListedTrace } from "#contract.ts";
import type { Query } from "#schema.ts";
import { isLive } from "#store/live-traces.ts";
import { hasRole, type InProject } from "#store/reader.ts";
import type { GroupRow } from "#query/list/trace-groups.store.ts";

/** The traces of one session, or of one user. */
export type GroupedTraces = InProject & { readonly field: "session" | "user"; readonly id: string };

const MAX_USERS = 5;
const MAX_SCORES = 50;
const MAX_SESSIONS = 100;
const DAYS = 30;

function newestOf({ projectId, reader, field, id }: GroupedTraces): RawBuilder<unknown> {
  const column = sql.ref(`entry.${field}_id`);
  return sql`
    select entry.sort_at, entry.status, entry.input_tokens, entry.output_tokens, entry.cost, entry.session_id, entry.user_id, entry.scores
    from observability.trace_entries as entry
    join observability.projects as project on project.id = entry.project_id
    where entry.project_id = ${projectId}::uuid and ${isLive("entry")} and ${column} = ${id} and ${hasRole(reader, "viewer")}
    order by entry.sort_at desc, entry.trace_id desc limit ${MAX_GROUPED_TRACES}`;
}

/** A null sum is unknown, and not nothing; a producer may count nonsense. */
const sums = sql`
  count(*) as traces, count(*) filter (where status = 'failure') as failures,
  case when sum(input_tokens) > ${Number.MAX_SAFE_INTEGER} then ${Number.MAX_SAFE_INTEGER} else sum(input_tokens) end::bigint as input_tokens,
  case when sum(output_tokens) > ${Number.MAX_SAFE_INTEGER} then ${Number.MAX_SAFE_INTEGER} else sum(output_tokens) end::bigint as output_tokens,
  sum(cost) as cost`;

export async function sumUpScores(query: Query, grouped: GroupedTraces): Promise<ListedTrace["scores"]> {
  const { rows } = await sql<ListedTrace["scores"][number]>`
    select score.name, sum(score.value * score.count) / sum(score.count) as value, sum(score.count)::bigint as count
    from (${newestOf(grouped)}) as entry
    cross join lateral jsonb_to_recordset(entry.scores) as score (name text, value double precision, count bigint)
    group by score.name order by score.name limit ${MAX_SCORES}`.execute(query);
  return [...rows];
}

export async function findUsers(query: Query, grouped: GroupedTraces): Promise<readonly string[]> {
  const { rows } = await sql<{ user_id: string }>`
    select user_id from (${newestOf(grouped)}) as entry where user_id is not null group by user_id order by max(sort_at) desc limit ${MAX_USERS}`.execute(
    query,
  );
  return rows.map(({ user_id: id }) => id);
}

/** The first trace that failed; where none did, the first in which a step did. */
export async function findFirstFailure(query: Query, { projectId, reader, field, id }: GroupedTraces): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select entry.trace_id as id from observability.trace_entries as entry
    join observability.projects as project on project.id = entry.project_id
    where entry.project_id = ${projectId}::uuid and ${isLive("entry")} and ${sql.ref(`entry.${field}_id`)} = ${id} and ${hasRole(reader, "viewer")}
      and (entry.status = 'failure' or entry.failures > 0)
    order by entry.status = 'failure' desc, entry.sort_at, entry.trace_id limit 1`.execute(query);
  return rows[0]?.id;
}

export type DayRow = Pick<GroupRow, "traces" | "failures" | "input_tokens" | "output_tokens" | "cost"> & { readonly day: string };

/** The last days on which there was something, up to that of the last trace. */
export async function sumUpDays(query: Query, grouped: GroupedTraces): Promise<readonly DayRow[]> {
  const { rows } = await sql<DayRow>`
    with entry as materialized (${newestOf(grouped)})
    select to_char(sort_at at time zone 'UTC', 'YYYY-MM-DD') as day, ${sums}
    from entry
    where sort_at >= date_trunc('day', (select max(sort_at) from entry), 'UTC') - ${DAYS - 1} * interval '1 day'
    group by day order by day`.execute(query);
  return rows;
}

/** The sessions that the traces belong to, the last seen first. */
export async function sumUpSessions(query: Query, grouped: GroupedTraces): Promise<readonly GroupRow[]> {
  const { rows } = await sql<GroupRow>`
    select session_id as id, ${sums}, min(sort_at) as first_at, max(sort_at) as last_at, '' as position
    from (${newestOf(grouped)}) as entry where session_id is not null
    group by session_id order by max(sort_at) desc, session_id limit ${MAX_SESSIONS}`.execute(query);
  return rows;
}

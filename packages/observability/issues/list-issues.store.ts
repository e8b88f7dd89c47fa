import { sql, type RawBuilder } from "kysely";
import type { IssueFacts, IssueState, ListIssuesRequest } from "#contract.ts";
import type { CodePlace } from "#event-columns.ts";
import type { Query } from "#schema.ts";
import { selectInstant, selectMicros, type Position } from "#store/position.ts";
import { hasRoleIn, type InProject, type OneInProject } from "#store/reader.ts";

export type IssueRow = {
  readonly id: string;
  readonly title: string;
  readonly facts: IssueFacts;
  readonly state: IssueState;
  readonly ignored_until: Date | null;
  readonly closed_at: Date | null;
  readonly closed_at_commit: string | null;
  readonly reopened_at: Date | null;
  readonly assignee: string | null;
  readonly tracker_url: string | null;
  readonly traces: number;
  readonly first_seen: Date;
  readonly last_seen: Date;
  readonly users: number;
  readonly merged: number;
  readonly releases: string[];
  readonly commits: string[];
  readonly sparkline: number[];
  readonly code: CodePlace | null;
  /** Of the order that was asked for. */
  readonly position: string;
};

/** The traces of each issue that its versions and its code are told by: the newest. */
const RECENT = 200;
const MAX_VERSIONS = 5;
const DAYS = 30;
const EPOCH = sql`timestamptz '1970-01-01 00:00:00+00'`;

type Listing = InProject &
  Pick<ListIssuesRequest, "state" | "sort" | "limit"> & { readonly after: Position | undefined; readonly now: Date };

/** The issues in a state, those first that were seen last, or most often. */
export async function listIssues(query: Query, { state, sort, limit, after, ...wanted }: Listing): Promise<readonly IssueRow[]> {
  const [column, position, from] =
    sort === "count"
      ? [sql`issue.traces`, sql`issue.traces::text`, (given: string) => sql`${given}::bigint`]
      : [sql`issue.last_seen`, selectMicros("issue.last_seen"), selectInstant];
  const isInState = state === "all" ? sql`true` : sql`${stateAt(wanted.now)} = ${state}`;
  const isAfter = after === undefined ? sql`true` : sql`(${column}, issue.id) < (${from(after.micros)}, ${after.id}::uuid)`;
  return selectIssues(query, {
    ...wanted,
    position,
    isChosen: sql`${isInState} and ${isAfter}`,
    order: sql`order by ${column} desc, issue.id desc`,
    limit,
  });
}

export async function findIssue(query: Query, { id, ...wanted }: OneInProject & { readonly now: Date }): Promise<IssueRow | undefined> {
  const [row] = await selectIssues(query, { ...wanted, position: sql`''`, isChosen: sql`issue.id = ${id}::uuid`, order: sql``, limit: 1 });
  return row;
}

/** One that is ignored for a time is open when that is over. */
function stateAt(now: Date): RawBuilder<IssueState> {
  return sql<IssueState>`case when issue.state = 'ignored' and issue.ignored_until <= ${now} then 'open' else issue.state end`;
}

type Selection = InProject & {
  readonly now: Date;
  readonly position: RawBuilder<unknown>;
  readonly isChosen: RawBuilder<unknown>;
  readonly order: RawBuilder<unknown>;
  readonly limit: number;
};

async function selectIssues(
  query: Query,
  { projectId, reader, now, position, isChosen, order, limit }: Selection,
): Promise<readonly IssueRow[]> {
  const newest = (column: string) => sql`array(
    select ${sql.ref(column)} from recent where ${sql.ref(column)} is not null group by 1 order by max(seen_at) desc, 1 limit ${MAX_VERSIONS}
  )`;
  const today = sql`date_bin('24 hours', ${now}::timestamptz, ${EPOCH})`;
  const { rows } = await sql<IssueRow>`
    with chosen as materialized (
      select issue.id, issue.title, issue.facts, ${stateAt(now)} as state, issue.ignored_until, issue.closed_at, issue.closed_at_commit,
        issue.reopened_at, issue.assignee, issue.tracker_url, issue.traces, issue.users, issue.first_seen, issue.last_seen, ${position} as position
      from observability.issues as issue
      where issue.project_id = ${projectId}::uuid and issue.merged_into is null and issue.traces > 0 and ${hasRoleIn(reader, "viewer", projectId)}
        and ${isChosen} ${order} limit ${limit}
    )
    select issue.*, told.*
    from chosen as issue cross join lateral (
      with recent as materialized (
        select seen_at, release, commit, code from observability.issue_traces
        where project_id = ${projectId}::uuid and issue_id = issue.id order by seen_at desc, trace_id desc limit ${RECENT}
      ), daily as (
        select date_bin('24 hours', seen_at, ${EPOCH}) as day, count(*) as traces from observability.issue_traces
        where project_id = ${projectId}::uuid and issue_id = issue.id and seen_at >= ${today} - ${DAYS - 1} * interval '24 hours' group by 1
      )
      select (select count(*)::int from observability.issues where project_id = ${projectId}::uuid and merged_into = issue.id) as merged,
        ${newest("release")} as releases, ${newest("commit")} as commits,
        (select code from recent where code is not null limit 1) as code,
        array(
          select coalesce(daily.traces, 0)::int from generate_series(${DAYS - 1}::int, 0, -1) as ago
          left join daily on daily.day = ${today} - ago * interval '24 hours' order by ago desc
        ) as sparkline
    ) as told ${order}`.execute(query);
  return rows;
}

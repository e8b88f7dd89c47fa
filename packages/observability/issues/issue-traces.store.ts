import { sql } from "kysely";
import type { CodePlace } from "#event-columns.ts";
import type { Query } from "#schema.ts";
import { isAfter, selectMicros, type Position } from "#store/position.ts";
import { hasRoleIn, type OneInProject } from "#store/reader.ts";

export type IssueTraceRow = {
  readonly trace_id: string;
  readonly seen_at: Date;
  readonly name: string | null;
  readonly error: string | null;
  readonly step_id: string | null;
  readonly duration_ms: number | null;
  readonly steps: number;
  readonly release: string | null;
  readonly commit: string | null;
  readonly user_id: string | null;
  readonly code: CodePlace | null;
};

export type EvidenceRow = IssueTraceRow & Readonly<Record<"is_newest" | "is_shortest" | "is_typical", boolean>>;

/** The traces that evidence is chosen of: the newest. */
const RECENT = 500;
/** And those that the first code is looked for in. */
const OLDEST = 200;

type Page = OneInProject & { readonly after: Position | undefined; readonly limit: number };

/** The traces that show an issue, the newest first. */
export async function listIssueTraces(
  query: Query,
  { after, limit, ...issue }: Page,
): Promise<readonly (IssueTraceRow & { readonly position: string })[]> {
  const rest = after === undefined ? sql`true` : isAfter("shown.seen_at", "shown.trace_id", after);
  const { rows } = await sql<IssueTraceRow & { readonly position: string }>`
    ${selectTraces(issue, sql`, ${selectMicros("shown.seen_at")} as position`)} and ${rest}
    order by shown.seen_at desc, shown.trace_id desc limit ${limit}`.execute(query);
  return rows;
}

/** Three traces to look at, which may be fewer: the newest, the shortest, and the one in the middle between that and the longest. */
export async function listEvidence(query: Query, issue: OneInProject): Promise<readonly EvidenceRow[]> {
  const { rows } = await sql<EvidenceRow>`
    with recent as materialized (
      ${selectTraces(issue, sql``)} order by shown.seen_at desc, shown.trace_id desc limit ${RECENT}
    ), ranked as (
      select recent.*, row_number() over (order by seen_at desc, trace_id desc) = 1 as is_newest, count(*) over () as count,
        row_number() over (order by steps, duration_ms, trace_id) as place
      from recent
    )
    select *, place = 1 as is_shortest, place = (count + 1) / 2 as is_typical from ranked
    where is_newest or place = 1 or place = (count + 1) / 2`.execute(query);
  return rows;
}

/** The code of the first trace that names any. */
export async function findFirstCode(query: Query, { projectId, reader, id }: OneInProject): Promise<CodePlace | null> {
  const { rows } = await sql<{ code: CodePlace; commit: string | null }>`
    select code, commit from (
      select code, commit, seen_at from observability.issue_traces
      where project_id = ${projectId}::uuid and issue_id = ${id}::uuid and ${hasRoleIn(reader, "viewer", projectId)}
      order by seen_at, trace_id limit ${OLDEST}
    ) as oldest where code is not null order by seen_at limit 1`.execute(query);
  const [first] = rows;
  // Of a step that does not say its commit the trace does.
  return first === undefined ? null : { ...(first.commit === null ? {} : { commit: first.commit }), ...first.code };
}

function selectTraces({ projectId, reader, id }: OneInProject, more: ReturnType<typeof sql>) {
  return sql`
    select shown.trace_id, shown.seen_at, shown.step_id, shown.release, shown.commit, shown.user_id, shown.code,
      entry.name, entry.error, entry.duration_ms, entry.steps${more}
    from observability.issue_traces as shown
    join observability.trace_entries as entry on entry.project_id = ${projectId}::uuid and entry.trace_id = shown.trace_id
    where shown.project_id = ${projectId}::uuid and shown.issue_id = ${id}::uuid and ${hasRoleIn(reader, "viewer", projectId)}`;
}

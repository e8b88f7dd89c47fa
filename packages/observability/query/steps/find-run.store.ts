import { sql, type Kysely } from "kysely";
import type { ObservabilitySchema } from "#schema.ts";
import { hasRole, hasRoleIn, type Reader } from "#store/reader.ts";
import { selectBeginning, selectSegments } from "#store/segments.ts";

type Query = Kysely<ObservabilitySchema>;

/** A trace with the parts it consists of, without what is in them. */
export type Run<Segment extends RunSegment = RunSegment> = {
  readonly reader: Reader;
  readonly projectId: string;
  /** The segments in the order of their start; at least one. */
  readonly segments: readonly Segment[];
};

/** `day`: of the partition in which it lies, `YYYY-MM-DD`. */
type RunSegment = { readonly id: string; readonly day: string };

export type FoundSegment = RunSegment & { readonly start_event: string | null; readonly end_event: string | null };

/** The id of any part finds the whole. Undefined also when `reader` may not see it. */
export async function findRun(
  query: Query,
  { reader, projectId, traceId }: { readonly reader: Reader; readonly projectId: string; readonly traceId: string },
): Promise<Run<FoundSegment> | undefined> {
  const wanted = sql`${projectId}::uuid`;
  const { rows } = await sql<FoundSegment>`
    select segment.id, segment.day::text as day, part.start_event, part.end_event
    from observability.projects as project
    cross join lateral ${selectSegments(wanted, selectBeginning(wanted, sql`${traceId}::uuid`))} as segment
    join observability.traces as part on part.project_id = ${wanted} and part.id = segment.id
    where project.id = ${wanted} and ${hasRole(reader, "viewer")}
    order by segment.sort_at, segment.id`.execute(query);
  return rows.length === 0 ? undefined : { reader, projectId, segments: rows };
}

/** All runs of some traces as one, by the ids of the runs. */
export async function findRuns(
  query: Query,
  { reader, projectId, ids }: { readonly reader: Reader; readonly projectId: string; readonly ids: readonly string[] },
): Promise<Run<FoundSegment>> {
  const { rows } = await sql<FoundSegment>`
    select id, day::text as day, start_event, end_event from observability.traces
    where project_id = ${projectId} and id = any(${[...ids]}::uuid[]) and ${hasRoleIn(reader, "viewer", projectId)}`.execute(query);
  return { reader, projectId, segments: rows };
}

/** What the rows of a run's steps and payloads have in common. */
export function isOfRun({ reader, projectId, segments }: Run) {
  const ids = segments.map(({ id }) => id);
  const days = [...new Set(segments.map(({ day }) => day))];
  return sql<boolean>`project_id = ${projectId} and trace_id = any(${ids}::uuid[]) and day = any(${days}::date[]) and ${hasRoleIn(reader, "viewer", projectId)}`;
}

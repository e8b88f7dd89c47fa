import { sql, type Kysely, type Selectable } from "kysely";
import type { Trace, TracePlace } from "#contract.ts";
import { selectTraceParts, type SegmentRow, type TracePartsRow } from "#counting/trace-parts.ts";
import { listTraceIds } from "#identifiers.ts";
import type { ObservabilitySchema, TraceRow } from "#schema.ts";
import { hasRole, listVisibleIds, type InProject, type Reader } from "#store/reader.ts";
import { selectBeginning } from "#store/segments.ts";
import type { TraceNumbers } from "#step-numbers.ts";
import { foldTrace, type TraceFacts } from "#trace-facts/fold-trace.ts";
import { selectRunStatus } from "./abandoned.store.ts";
import type { Run } from "./find-run.store.ts";
import { cutText } from "./step.store.ts";

type Query = Kysely<ObservabilitySchema>;

type BegunRow = Pick<
  Selectable<TraceRow>,
  | "id"
  | "project_id"
  | "name"
  | "started_at"
  | "sort_at"
  | "thread_id"
  | "session_id"
  | "user_id"
  | "purpose"
  | "start_event"
  | "start_fields"
  | "tags"
> &
  TracePartsRow;

export type TraceSummaryRow = Omit<BegunRow, "segments" | "failed" | "failed_steps" | "usage"> &
  TraceNumbers &
  Pick<TraceFacts<SegmentRow>, "status" | "error" | "waiting_ms" | "failures"> & {
    readonly ended_at: Date | null;
    readonly end_event: string | null;
    /** The runs it consists of: from its start to its first pause, from there to the next, … */
    readonly segments: readonly Trace["segments"][number][];
    readonly run: Run;
  };

/** Characters of an error at the most. */
const MAX_ERROR = 16_384;

/** Without a project, the newest of that id, or of that of OpenTelemetry, among the reader's projects. The id of any run of a trace finds the whole trace. */
export async function findTrace(
  query: Query,
  wanted: { readonly reader: Reader; readonly traceId: string; readonly projectId?: string },
): Promise<TraceSummaryRow | undefined> {
  const { reader, traceId } = wanted;
  const place = wanted.projectId === undefined ? await findTracePlace(query, wanted) : { project_id: wanted.projectId, trace_id: traceId };
  return place === undefined ? undefined : await readTrace(query, { reader, projectId: place.project_id, traceId: place.trace_id });
}

/** Of the runs with that id, their own or OpenTelemetry's, the one that began last, and which of the reader's projects has it. */
export async function findTracePlace(
  query: Query,
  { reader, traceId }: { readonly reader: Reader; readonly traceId: string },
): Promise<TracePlace | undefined> {
  const projectIds = await listVisibleIds(query, reader);
  const { rows } = await sql<TracePlace>`
    select part.project_id, part.id as trace_id from observability.traces as part
    where part.project_id = any(${projectIds}::uuid[]) and part.id = any(${listTraceIds(traceId, projectIds)}::uuid[])
    order by part.sort_at desc limit 1`.execute(query);
  return rows[0];
}

async function readTrace(
  query: Query,
  { reader, projectId, traceId }: InProject & { readonly traceId: string },
): Promise<TraceSummaryRow | undefined> {
  const project = sql`${projectId}::uuid`;
  const parts = selectTraceParts({
    project,
    status: selectRunStatus(project, "run"),
    // An error may be as long as an event, and a page has 200 of them.
    error: cutText("run.error", { whole: MAX_ERROR, kept: MAX_ERROR }),
  });
  const { rows } = await sql<BegunRow>`
    select begun.id, begun.project_id, begun.name, begun.started_at, begun.sort_at, begun.thread_id, begun.session_id, begun.user_id, begun.purpose,
      begun.start_event, begun.start_fields, begun.tags, part.*
    from observability.traces as begun
    join observability.projects as project on project.id = begun.project_id
    cross join lateral ${parts} as part
    where begun.project_id = ${project} and begun.id = ${selectBeginning(project, sql`${traceId}::uuid`)} and ${hasRole(reader, "viewer")}`.execute(
    query,
  );
  const [row] = rows;
  if (row === undefined) {
    return undefined;
  }
  const { last, status, error, waiting_ms, duration_ms, failures } = foldTrace(row);
  const { segments, failed: _failed, failed_steps: _steps, usage: _usage, ...begun } = row;
  return {
    ...begun,
    status,
    error,
    waiting_ms,
    duration_ms,
    failures,
    ended_at: dateOf(last.ended),
    end_event: last.end_event,
    segments: segments.map((segment) => ({
      id: segment.id,
      status: segment.status,
      started_at: new Date(segment.sorted_at / 1000).toISOString(),
      ended_at: dateOf(segment.ended)?.toISOString() ?? null,
    })),
    run: { reader, projectId, segments: segments.map(({ id, day }) => ({ id, day })) },
  };
}

function dateOf(micros: number | null): Date | null {
  return micros === null ? null : new Date(micros / 1000);
}

import { sql } from "kysely";
import type { Query } from "#schema.ts";
import { hasRoleIn, type InProject } from "#store/reader.ts";
import { findBlobs } from "./blobs.store.ts";
import { resolveBlobs } from "./resolve-blobs.ts";

/** A trace and the runs it consists of, as its entry in the list has them. */
type TraceOfRuns = { readonly id: string; readonly runs: readonly string[] };
export type OfTraces = InProject & { readonly traces: readonly TraceOfRuns[] };

/** What of a trace tells what was asked, or what was answered. */
export type SpokenRow = {
  readonly trace_id: string;
  readonly side: "input" | "output";
  readonly is_model_call: boolean;
  /** Null where it is too long to be read for this. */
  readonly value: unknown;
};

/** The longest value that is read: bytes as they are stored, and characters. */
const [MAX_STORED, MAX_VALUE] = [128 * 1024, 400_000];

/** Each trace's runs, in the order of their start, as the relation `run`. */
export function runsOf({ projectId, reader, traces }: OfTraces) {
  const pairs = traces.flatMap(({ id, runs }) => runs.map((run, place) => ({ id, run, place })));
  return sql`
    select wanted.trace_id, wanted.place, trace.id, trace.day, trace.start_event, trace.end_event, trace.start_line, trace.end_line
    from unnest(${pairs.map(({ id }) => id)}::uuid[], ${pairs.map(({ run }) => run)}::uuid[], ${pairs.map(({ place }) => place)}::int[])
      as wanted (trace_id, run_id, place)
    join observability.traces as trace on trace.project_id = ${projectId}::uuid and trace.id = wanted.run_id
    where ${hasRoleIn(reader, "viewer", projectId)}`;
}

/** By the rule of the list's lines: what the trace says itself, and where it says nothing, its first or last model call; also one that is known by its hash. */
export async function findSpoken(query: Query, wanted: OfTraces): Promise<readonly SpokenRow[]> {
  const { projectId } = wanted;
  const { rows } = await sql<SpokenRow>`
    with run as materialized (${runsOf(wanted)}), call as materialized (
      select run.trace_id, run.id as run_id, run.day, step.start_event, step.end_event, step.start_line, step.end_line,
        coalesce(step.started_at, step.seen_at) as begun_at, coalesce(step.ended_at, step.seen_at) as done_at, step.id
      from run join observability.observations as step
        on step.project_id = ${projectId}::uuid and step.trace_id = run.id and step.day = run.day and step.kind = 'llm'
    ), said as (
      (select distinct on (trace_id) trace_id, id as run_id, day, 'input' as side, false as is_model_call, start_event as event_id
        from run where place = 0 and start_line is not null)
      union all
      (select distinct on (trace_id) trace_id, id, day, 'output', false, end_event
        from (select distinct on (trace_id) * from run order by trace_id, place desc) as last_run where end_line is not null)
      union all
      (select distinct on (trace_id) trace_id, run_id, day, 'input', true, start_event
        from call where start_event is not null order by trace_id, start_line is null, begun_at, id)
      union all
      (select distinct on (trace_id) trace_id, run_id, day, 'output', true, end_event
        from call where end_event is not null order by trace_id, end_line is null, done_at desc, id desc)
    ), chosen as materialized (
      select distinct on (trace_id, side) * from said order by trace_id, side, is_model_call
    )
    select chosen.trace_id, chosen.side, chosen.is_model_call,
      case when pg_column_size(payload.value) <= ${MAX_STORED} and length(payload.value::text) <= ${MAX_VALUE} then payload.value end as value
    from chosen join observability.payloads as payload
      on payload.project_id = ${projectId}::uuid and payload.trace_id = chosen.run_id and payload.day = chosen.day and payload.event_id = chosen.event_id`.execute(
    query,
  );
  return resolveBlobs(
    rows.map((row) => ({ ...row, attributes: null, tool_entry: null })),
    (hashes) => findBlobs(query, projectId, hashes),
  );
}

type Own = { readonly input: unknown; readonly output: unknown; readonly error: string | null };

/**
 * Puts in the place of a trace's own input and output, where it has none, what its first and last model call say, by the rule of the list's
 * lines; of a trace that failed and gave nothing back the error says why.
 */
export async function withSpoken<Values extends Own>(query: Query, wanted: InProject & TraceOfRuns, own: Values): Promise<Values> {
  const { projectId, reader, id, runs } = wanted;
  const isTold = own.input !== null && (own.output !== null || own.error !== null);
  const spoken = isTold ? [] : await findSpoken(query, { projectId, reader, traces: [{ id, runs }] });
  const said = (side: SpokenRow["side"]): unknown => spoken.find((row) => row.side === side && row.is_model_call)?.value ?? null;
  return { ...own, input: own.input ?? said("input"), output: own.output ?? (own.error === null ? said("output") : null) };
}

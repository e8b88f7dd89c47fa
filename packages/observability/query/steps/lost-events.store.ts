import { sql, type Kysely } from "kysely";
import type { ObservabilitySchema } from "#schema.ts";
import type { Run } from "./find-run.store.ts";

type Query = Kysely<ObservabilitySchema>;

/** A trace, and the runs that it is made of: what one run lacks at its end and the next at its beginning is lost once. */
type CountedTrace = { readonly id: string; readonly runs: readonly string[] };

/**
 * How many lost events may belong to each of the traces; a trace that no gap touches is not in the map.
 *
 * What is lost cannot say whose it was. A gap counts for a trace when it lies between events of the trace from the same
 * producer; and while the trace's start or end has not arrived, so does the nearest gap before or after them.
 */
export async function countLostEvents(
  query: Query,
  projectId: string,
  traces: readonly CountedTrace[],
): Promise<ReadonlyMap<string, number>> {
  if (traces.length === 0 || !(await hasGaps(query, projectId))) {
    return new Map();
  }
  const members = traces.flatMap(({ id, runs }) => runs.map((run) => ({ id, run })));
  const runs = members.map(({ run }) => run);
  const { rows } = await sql<{ id: string; lost: number }>`
    with ${reachesOf(projectId, runs)}, touching as (
      select distinct member.id, gap.producer_id, gap.first_seq, gap.last_seq
      from unnest(${members.map(({ id }) => id)}::uuid[], ${runs}::uuid[]) as member (id, run)
      join reaches as reach on reach.trace_id = member.run
      join observability.ingest_gaps as gap on ${isTouched(projectId)}
    )
    select id, least(sum(last_seq - first_seq + 1), ${Number.MAX_SAFE_INTEGER})::bigint as lost
    from touching group by id`.execute(query);
  return new Map(rows.map((row) => [row.id, row.lost]));
}

/** Counts the lost events of one trace. */
export async function countLostEventsOfTrace(query: Query, { projectId, segments }: Run): Promise<number> {
  const runs = segments.map(({ id }) => id);
  const [id = ""] = runs;
  return (await countLostEvents(query, projectId, [{ id, runs }])).get(id) ?? 0;
}

export type TouchingGap = {
  readonly producer_id: string;
  readonly first_seq: number;
  readonly last_seq: number;
  readonly found_at: Date;
};

/** The gaps that count for one of the traces, the first ones found. */
export async function listTouchingGaps(
  query: Query,
  { projectId, segments }: Pick<Run, "projectId" | "segments">,
  limit: number,
): Promise<readonly TouchingGap[]> {
  const { rows } = await sql<TouchingGap>`
    with ${reachesOf(
      projectId,
      segments.map(({ id }) => id),
    )}
    select distinct gap.producer_id, gap.first_seq, gap.last_seq, gap.found_at
    from reaches as reach join observability.ingest_gaps as gap on ${isTouched(projectId)}
    order by gap.found_at, gap.producer_id, gap.first_seq
    limit ${limit}`.execute(query);
  return rows;
}

/** From which to which number of each producer events of a trace may be. */
function reachesOf(projectId: string, traceIds: readonly string[]) {
  return sql`numbers as (
      select id as trace_id, producer, seq
      from observability.traces, lateral (values (start_producer, start_seq), (end_producer, end_seq)) as event (producer, seq)
      where project_id = ${projectId} and id = any(${traceIds}::uuid[])
      union all
      select observation.trace_id, producer, seq
      from observability.traces as trace
      join observability.observations as observation
        on observation.project_id = trace.project_id and observation.trace_id = trace.id and observation.day = trace.day,
        lateral (values
          (observation.start_producer, observation.start_seq), (observation.end_producer, observation.end_seq)
        ) as event (producer, seq)
      where trace.project_id = ${projectId} and trace.id = any(${traceIds}::uuid[])
    ), spans as (
      select trace_id, producer, min(seq) as first_seq, max(seq) as last_seq
      from numbers where producer is not null group by trace_id, producer
    ), reaches as (
      select span.trace_id, span.producer,
        case when trace.start_event is null then coalesce((
          select max(gap.first_seq) from observability.ingest_gaps as gap
          where gap.project_id = ${projectId} and gap.producer_id = span.producer and gap.last_seq < span.first_seq
        ), span.first_seq) else span.first_seq end as first_seq,
        case when trace.end_event is null then coalesce((
          select min(gap.last_seq) from observability.ingest_gaps as gap
          where gap.project_id = ${projectId} and gap.producer_id = span.producer and gap.first_seq > span.last_seq
        ), span.last_seq) else span.last_seq end as last_seq
      from spans as span
      join observability.traces as trace on trace.project_id = ${projectId} and trace.id = span.trace_id
    )`;
}

function isTouched(projectId: string) {
  return sql`gap.project_id = ${projectId} and gap.producer_id = reach.producer
      and gap.first_seq <= reach.last_seq and gap.last_seq >= reach.first_seq`;
}

async function hasGaps(query: Query, projectId: string): Promise<boolean> {
  const gap = await query
    .selectFrom("observability.ingest_gaps")
    .select("producer_id")
    .where("project_id", "=", projectId)
    .limit(1)
    .executeTakeFirst();
  return gap !== undefined;
}

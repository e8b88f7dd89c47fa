import { sql, type Kysely, type Selectable } from "kysely";
import type { GraphMove, ObservabilitySchema, ObservationRow } from "#schema.ts";
import { isOfRun, type Run } from "#query/steps/find-run.store.ts";

type Query = Kysely<ObservabilitySchema>;

export type EntryRow = {
  readonly trace_id: string;
  readonly owner_id: string;
  readonly value: { readonly graph_hash?: string; readonly step?: number; readonly next: readonly GraphMove[] };
};

/** Of all that one answer is made of: only an event's length bounds a graph. */
const CHARACTERS_MAX = 16 * 1024 * 1024;

/** Where the graphs of these traces begin. The traces were found under their tenant before. */
export async function findGraphEntries(query: Query, projectId: string, traceIds: readonly string[]): Promise<readonly EntryRow[]> {
  const { rows } = await sql<EntryRow>`
    select trace_id, owner_id, value
    from (
      select payload.trace_id, payload.owner_id, payload.value, payload.seq, payload.event_id,
        sum(length(payload.value::text)) over (order by payload.seq, payload.event_id) as total
      from observability.traces as trace
      join observability.payloads as payload
        on payload.project_id = trace.project_id and payload.trace_id = trace.id and payload.day = trace.day
      where trace.project_id = ${projectId} and trace.id = any(${[...traceIds]}::uuid[]) and payload.part = 'enter'
    ) as entry
    where total <= ${CHARACTERS_MAX}
    order by seq, event_id`.execute(query);
  return rows;
}

/** What of an observation says which way a graph went. */
export type GraphObservationRow = Pick<
  Selectable<ObservationRow>,
  "id" | "trace_id" | "parent_id" | "kind" | "name" | "graph_step" | "next" | "end_status" | "start_seq" | "started_at" | "seen_at"
>;

/** Observations looked at. */
const OBSERVATIONS_MAX = 100_000;

/** Of a trace in which no graph ran, none. */
export async function findGraphObservations(query: Query, run: Run): Promise<readonly GraphObservationRow[]> {
  type Row = Omit<GraphObservationRow, "started_at" | "seen_at"> & { readonly time: number };
  const { rows } = await sql<{ observations: readonly Row[] }>`
    select coalesce(json_agg(row), '[]') as observations from (
      select id, trace_id, parent_id, kind, end_status, start_seq, (extract(epoch from coalesce(started_at, seen_at)) * 1000)::double precision as time,
        case when graph_step is not null or kind = 'graph' then name end as name,
        case when weight <= ${CHARACTERS_MAX} then graph_step end as graph_step, case when weight <= ${CHARACTERS_MAX} then next end as next
      from (
        select *, sum(coalesce(length(graph_step::text), 0) + coalesce(length(next::text), 0)) over (order by coalesce(started_at, seen_at), id) as weight
        from observability.observations
        where ${isOfRun(run)} and exists (select from observability.observations where ${isOfRun(run)} and (kind = 'graph' or graph_step is not null))
        order by coalesce(started_at, seen_at), id
        limit ${OBSERVATIONS_MAX}
      ) as observation
    ) as row`.execute(query);
  return (rows[0]?.observations ?? []).map(({ time, ...row }) => ({ ...row, started_at: null, seen_at: new Date(time) }));
}

type DeclaredRow = {
  readonly graph_hash: string;
  readonly nodes: string[];
  readonly edges: { readonly from: string; readonly to: string; readonly conditional: boolean }[];
};

export async function findDeclaredGraphs(query: Query, projectId: string, hashes: readonly string[]): Promise<readonly DeclaredRow[]> {
  if (hashes.length === 0) {
    return [];
  }
  const { rows } = await sql<DeclaredRow>`
    select graph_hash, nodes, edges
    from (
      select *, sum(length(nodes::text) + length(edges::text)) over (order by graph_hash) as total
      from observability.graphs where project_id = ${projectId} and graph_hash = any(${[...hashes]}::text[])
    ) as graph
    where total <= ${CHARACTERS_MAX}`.execute(query);
  return rows;
}

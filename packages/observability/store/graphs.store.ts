import { sql, type Kysely } from "kysely";
import type { GraphMove, ObservabilitySchema } from "#schema.ts";

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

import { sql, type Kysely } from "kysely";
import type { GraphMove, ObservabilitySchema } from "#schema.ts";

type Query = Kysely<ObservabilitySchema>;

export type EntryRow = {
  readonly trace_id: string;
  readonly owner_id: string;
  readonly value: { readonly graph_hash?: string; readonly step?: number; readonly next: readonly GraphMove[] };
};

/** Where the graphs of these traces begin. The traces were found under their tenant before. */
export async function findGraphEntries(query: Query, projectId: string, traceIds: readonly string[]): Promise<readonly EntryRow[]> {
  const { rows } = await sql<EntryRow>`
    select payload.trace_id, payload.owner_id, payload.value
    from observability.traces as trace
    join observability.payloads as payload
      on payload.project_id = trace.project_id and payload.trace_id = trace.id and payload.day = trace.day
    where trace.project_id = ${projectId} and trace.id = any(${[...traceIds]}::uuid[]) and payload.part = 'enter'
    order by payload.seq, payload.event_id`.execute(query);
  return rows;
}

export async function findDeclaredGraphs(query: Query, projectId: string, hashes: readonly string[]) {
  return hashes.length === 0
    ? []
    : await query
        .selectFrom("observability.graphs")
        .select(["graph_hash", "nodes", "edges"])
        .where("project_id", "=", projectId)
        .where("graph_hash", "in", [...hashes])
        .execute();
}

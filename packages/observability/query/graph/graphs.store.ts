import { sql, type Selectable } from "kysely";
import type { ObservationRow, Query } from "#schema.ts";
import { isOfRun, type Run } from "#query/steps/find-run.store.ts";
import type { GraphEntry, GraphObservation } from "#query/steps/graph-runs.ts";
import { firstSteps, whileLight } from "#query/steps/step.store.ts";

/** One answer is made of at most this many characters: only an event's length bounds a graph. */
const MAX_CHARACTERS = 16 * 1024 * 1024;

/** Where the graphs of a trace begin. */
export async function findGraphEntries(query: Query, run: Run): Promise<readonly GraphEntry[]> {
  const { rows } = await sql<GraphEntry>`
    select trace_id, owner_id, value
    from (
      select *, sum(length(value::text)) over (order by seq, event_id) as total
      from observability.payloads where ${isOfRun(run)} and part in ('update', 'enter') and part = 'enter'
    ) as entry
    where total <= ${MAX_CHARACTERS}
    order by seq, event_id`.execute(query);
  return rows;
}

/** What of an observation says which way a graph went. */
export type GraphObservationRow = GraphObservation & Pick<Selectable<ObservationRow>, "start_seq" | "started_at" | "seen_at">;

/** Observations looked at. */
const MAX_OBSERVATIONS = 100_000;

/** Finds the steps that make the graph; none where no graph ran. */
export async function findGraphObservations(query: Query, run: Run): Promise<readonly GraphObservationRow[]> {
  type Row = Omit<GraphObservationRow, "started_at" | "seen_at"> & { readonly time: number };
  const where = sql<boolean>`exists (
    select from observability.observations where ${isOfRun(run)} and (kind = 'graph' or graph_step is not null)
  )`;
  const { rows } = await sql<{ observations: readonly Row[] }>`
    select coalesce(jsonb_agg(row), '[]') as observations from (
      select id, trace_id, parent_id, kind, end_status, start_seq, (extract(epoch from coalesce(started_at, seen_at)) * 1000)::double precision as time,
        case when graph_step is not null or kind = 'graph' then name end as name,
        ${whileLight("graph_step", "weight", MAX_CHARACTERS)}, ${whileLight("next", "weight", MAX_CHARACTERS)}
      from (${firstSteps(run, { limit: MAX_OBSERVATIONS, weights: { weight: ["graph_step", "next"] }, where })}) as observation
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
    where total <= ${MAX_CHARACTERS}`.execute(query);
  return rows;
}

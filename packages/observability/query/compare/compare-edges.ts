import type { Comparison, TakenEdge } from "#contract.ts";
import { findGraphRuns } from "#query/steps/graph-runs.ts";
import { findTakenEdges } from "#query/graph/taken-edges.ts";
import { startOfRow } from "#query/steps/start-of.ts";
import type { EntryRow } from "#query/graph/graphs.store.ts";
import type { LoadedRun } from "./load-run.ts";

type Side = { readonly run: LoadedRun; readonly entries: readonly EntryRow[] };

/** The edges that each run went, and how often; null when neither ran a graph. */
export function compareEdges(a: Side, b: Side): Comparison["edges"] {
  const [edgesA, edgesB] = [edgesOf(a), edgesOf(b)];
  if (edgesA === null && edgesB === null) {
    return null;
  }
  const [ofA, ofB] = [edgesA, edgesB].map((edges) => new Map((edges ?? []).map((edge) => [keyOf(edge), edge])));
  const all = new Map([...(ofA ?? []), ...(ofB ?? [])]);
  return Array.from(all, ([key, { from, to, via }]) => ({
    from,
    to,
    via,
    a: ofA?.get(key)?.count ?? 0,
    b: ofB?.get(key)?.count ?? 0,
  })).toSorted((left, right) => Math.abs(right.a - right.b) - Math.abs(left.a - left.b));
}

function edgesOf({ run: { trace, rows }, entries }: Side): readonly TakenEdge[] | null {
  const ordered = rows
    .map((row) => ({ row, at: startOfRow(row).getTime() }))
    .toSorted((left, right) => left.at - right.at || (left.row.start_seq ?? 0) - (right.row.start_seq ?? 0))
    .map(({ row }) => row);
  const runs = findGraphRuns(
    trace.segments.map(({ id, status }) => ({
      traceId: id,
      succeeded: status === "success",
      observations: ordered.filter((row) => row.trace_id === id),
      entries: entries
        .filter((entry) => entry.trace_id === id)
        .map(({ owner_id: ownerId, value }) => ({ ownerId, hash: value.graph_hash, step: value.step, next: value.next })),
    })),
  );
  return runs.length === 0 ? null : findTakenEdges(runs);
}

function keyOf({ from, to, via }: TakenEdge): string {
  return JSON.stringify([from, to, via]);
}

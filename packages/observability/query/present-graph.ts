import type { DeclaredGraph, Trace } from "#contract.ts";
import type { EntryRow } from "#store/graphs.store.ts";
import type { TraceContent } from "#store/trace-content.store.ts";
import type { TraceSummaryRow } from "#store/traces.store.ts";
import { joinDeclaredGraphs } from "./declared-graph.ts";
import { findGraphRuns } from "./graph-runs.ts";
import { findTakenEdges } from "./taken-edges.ts";

type DeclaredRow = DeclaredGraph & { readonly graph_hash: string };

/** What graphs ran in a trace, where they went, and, once found by `hashes`, how they were declared. */
export function presentGraph(trace: TraceSummaryRow, observations: TraceContent["observations"], entries: readonly EntryRow[]) {
  const ordered = observations.toSorted((left, right) => timeOf(left) - timeOf(right) || (left.start_seq ?? 0) - (right.start_seq ?? 0));
  const runs = findGraphRuns(
    trace.segments.map(({ id, status }) => ({
      traceId: id,
      succeeded: status === "success",
      observations: ordered.filter((observation) => observation.trace_id === id),
      entries: entries
        .filter((entry) => entry.trace_id === id)
        .map(({ owner_id: ownerId, value }) => ({ ownerId, hash: value.graph_hash, step: value.step, next: value.next })),
    })),
  );
  return {
    hashes: [...new Set(runs.flatMap((run) => [...run.hashes]))],
    withDeclared: (rows: readonly DeclaredRow[]): Trace["graph"] =>
      runs.length === 0
        ? null
        : { declared: joinDeclaredGraphs(runs, new Map(rows.map((row) => [row.graph_hash, row]))), taken: [...findTakenEdges(runs)] },
  };
}

function timeOf({ started_at: startedAt, seen_at: seenAt }: TraceContent["observations"][number]): number {
  return (startedAt ?? seenAt).getTime();
}

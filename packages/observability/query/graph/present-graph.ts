import type { DeclaredGraph, TakenEdge, Trace } from "#contract.ts";
import type { GraphObservationRow } from "./graphs.store.ts";
import type { TraceSummaryRow } from "#query/steps/traces.store.ts";
import { takeWhileLight } from "#query/steps/answer-size.ts";
import { findGraphRuns, nodeNames, type GraphEntry, type GraphRun } from "#query/steps/graph-runs.ts";
import { findTakenEdges } from "./taken-edges.ts";

type DeclaredRow = DeclaredGraph & { readonly graph_hash: string };

/** The runs of graphs in a trace. */
function graphRunsOf(
  { segments }: Pick<TraceSummaryRow, "segments">,
  rows: readonly GraphObservationRow[],
  entries: readonly GraphEntry[],
): readonly GraphRun[] {
  const observations = rows.toSorted((left, right) => timeOf(left) - timeOf(right) || (left.start_seq ?? 0) - (right.start_seq ?? 0));
  return findGraphRuns({ segments, observations, entries });
}

/** What graphs ran in a trace, where they went, and, once found by `hashes`, how they were declared. */
export function presentGraph(trace: TraceSummaryRow, observations: readonly GraphObservationRow[], entries: readonly GraphEntry[]) {
  const runs = graphRunsOf(trace, observations, entries);
  return {
    hashes: [...new Set(runs.flatMap((run) => [...run.hashes]))],
    /** What the graph calls the nodes that observations ran as. */
    nodeOf: nodeNames(runs),
    withDeclared: (rows: readonly DeclaredRow[]): Trace["graph"] =>
      runs.length === 0 ? null : bounded(joinDeclaredGraphs(runs, new Map(rows.map((row) => [row.graph_hash, row]))), findTakenEdges(runs)),
  };
}

/** Bytes of each of the three lists: names of nodes in nodes in nodes are long, and may be many. */
const LIST_BYTES = 300_000;

function bounded(declared: DeclaredGraph | null, edges: readonly TakenEdge[]): Trace["graph"] {
  const taken = takeWhileLight(edges, LIST_BYTES);
  const nodes = takeWhileLight(declared?.nodes ?? [], LIST_BYTES);
  const declaredEdges = takeWhileLight(declared?.edges ?? [], LIST_BYTES);
  const isCut =
    taken.length < edges.length || nodes.length < (declared?.nodes.length ?? 0) || declaredEdges.length < (declared?.edges.length ?? 0);
  return {
    declared: declared === null ? null : { nodes: [...nodes], edges: [...declaredEdges] },
    taken: [...taken],
    ...(isCut ? { truncated: true } : {}),
  };
}

function timeOf({ started_at: startedAt, seen_at: seenAt }: GraphObservationRow): number {
  return (startedAt ?? seenAt).getTime();
}

/** The graphs of a trace as they were declared, in one: those inside others under the names their nodes have in the taken edges. */
function joinDeclaredGraphs(runs: readonly GraphRun[], byHash: ReadonlyMap<string, DeclaredGraph>): DeclaredGraph | null {
  const nodes = new Set<string>();
  const edges = new Map<string, DeclaredGraph["edges"][number]>();
  for (const { path, hashes } of runs) {
    for (const hash of hashes) {
      const graph = byHash.get(hash);
      for (const node of graph?.nodes ?? []) {
        nodes.add(`${path}${node}`);
      }
      for (const edge of graph?.edges ?? []) {
        const named = { ...edge, from: `${path}${edge.from}`, to: `${path}${edge.to}` };
        edges.set(JSON.stringify(named), named);
      }
    }
  }
  return nodes.size === 0 ? null : { nodes: [...nodes], edges: [...edges.values()] };
}

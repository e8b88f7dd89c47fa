import type { Comparison, TakenEdge } from "#contract.ts";
import type { GraphEntry } from "#query/steps/graph-runs.ts";
import { graphRunsOf } from "#query/graph/present-graph.ts";
import { findTakenEdges } from "#query/graph/taken-edges.ts";
import type { LoadedRun } from "./load-run.ts";

type Side = { readonly run: LoadedRun; readonly entries: readonly GraphEntry[] };

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
  const runs = graphRunsOf(trace, rows, entries);
  return runs.length === 0 ? null : findTakenEdges(runs);
}

function keyOf({ from, to, via }: TakenEdge): string {
  return JSON.stringify([from, to, via]);
}

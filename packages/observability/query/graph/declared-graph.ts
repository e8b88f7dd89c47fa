import type { DeclaredGraph } from "#contract.ts";
import type { GraphRun } from "#query/steps/graph-runs.ts";

/** The graphs of a trace as they were declared, in one: those inside others under the names their nodes have in the taken edges. */
export function joinDeclaredGraphs(runs: readonly GraphRun[], byHash: ReadonlyMap<string, DeclaredGraph>): DeclaredGraph | null {
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

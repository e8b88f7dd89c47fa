import { MAX_CHANGED_FILES } from "#contract.ts";
import type { RepositoryScope } from "#retrieval/files/read-files.store.ts";
import type { TenantQuery } from "#store/tenancy/read-scope.store.ts";
import { createGraph, stepsBetween } from "./commit-graph.ts";
import { changesAt, listNodes } from "./read-changes.store.ts";

/** Changes of all commits between the two. */
const MAX_CHANGES = 50_000;

/** The paths that commits between two of a branch changed; `undefined` where not all of that is kept. */
export async function changedSince(
  query: TenantQuery,
  scope: RepositoryScope,
  { commit, head }: { readonly commit: string; readonly head: string },
): Promise<ReadonlySet<string> | undefined> {
  if (commit === head) {
    return new Set();
  }
  const graph = createGraph(await listNodes(query, scope));
  const [from, to] = [graph.of(commit), graph.of(head)];
  const steps = from === undefined || to === undefined ? undefined : stepsBetween(graph, from, to);
  if (steps === undefined || steps.some(({ node }) => (node.changes_total ?? Infinity) > MAX_CHANGED_FILES)) {
    return undefined;
  }
  const rows = await changesAt(query, scope, { positions: steps.map(({ node }) => node.position), limit: MAX_CHANGES });
  return rows.length < MAX_CHANGES ? new Set(rows.flatMap(({ path, old_path: old }) => [path, old ?? path])) : undefined;
}

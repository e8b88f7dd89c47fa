import type { RepositoryScope } from "#retrieval/files/read-files.store.ts";
import type { TenantQuery } from "#store/tenancy/read-scope.store.ts";
import { changesAt, positionOf, readFirstParents } from "./read-changes.store.ts";
import { stepsBetween } from "./steps-between.ts";

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
  const [from, to] = [await positionOf(query, scope, commit), await positionOf(query, scope, head)];
  const firstParents = await readFirstParents(query, scope);
  const steps = from === undefined || to === undefined ? undefined : stepsBetween(firstParents, { from, to });
  if (steps === undefined || steps.some(({ position }) => !firstParents.isWhole(position))) {
    return undefined;
  }
  const paths = await changesAt(query, scope, { positions: steps.map(({ position }) => position), limit: MAX_CHANGES });
  return paths.length < MAX_CHANGES ? new Set(paths) : undefined;
}

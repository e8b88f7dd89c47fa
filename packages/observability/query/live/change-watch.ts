import type { Kysely } from "kysely";
import type { ObservabilitySchema } from "#schema.ts";
import { findChanges } from "./changes.store.ts";

/** A transaction that takes longer than this from its beginning to its commit may be passed over. */
const OVERLAP_MS = 15_000;

/** Tells, each time it is asked, in which of the projects something was written since the last time. */
export function createChangeWatch(query: Kysely<ObservabilitySchema>): (projectIds: readonly string[]) => Promise<ReadonlySet<string>> {
  let told = new Map<string, string>();
  let since: Date | undefined;
  return async (projectIds) => {
    const { now, changes } = await findChanges(query, { projectIds, since });
    const fresh = changes.filter((change) => told.get(change.producer_id) !== change.changed_at);
    // What is older than the overlap is not found again.
    told = new Map(changes.map((change) => [change.producer_id, change.changed_at]));
    since = new Date(now.getTime() - OVERLAP_MS);
    return new Set(fresh.map((change) => change.project_id));
  };
}

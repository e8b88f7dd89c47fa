import type { Database } from "@sightline/foundation/database/database";
import { countMarkedTraces } from "#counting/count-traces.store.ts";
import { findIssues } from "#issues/find-issues.store.ts";
import type { ObservabilitySchema } from "#schema.ts";

/** Counts what is marked of a project, and gives what failed its issues. */
export async function countAndFind({ query }: Pick<Database<ObservabilitySchema>, "query">, projectId: string): Promise<void> {
  while (await countMarkedTraces(query, projectId)) {
    // The traces that are left.
  }
  while (await findIssues(query, projectId)) {
    // The issues that are left.
  }
}

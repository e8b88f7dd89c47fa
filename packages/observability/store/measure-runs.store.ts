import { sql } from "kysely";
import type { Query } from "#schema.ts";

/** Gives runs of experiments what their traces took, of those that are counted. A run that somebody else writes to is left to the next time. */
export async function measureRuns(query: Query, projectId: string, traceIds: readonly string[]): Promise<void> {
  await sql`
    with counted as (
      select run.experiment_id, run.item_id, run.repetition, run.attempt, entry.cost, entry.tokens
      from observability.experiment_runs as run
      join observability.trace_entries as entry on entry.project_id = ${projectId}::uuid and entry.trace_id = run.trace_id
      where run.project_id = ${projectId}::uuid and run.trace_id = any(${traceIds}::uuid[])
        and (run.cost is distinct from entry.cost or run.tokens is distinct from entry.tokens)
      for update of run skip locked
    )
    update observability.experiment_runs as run set cost = counted.cost, tokens = counted.tokens from counted
    where run.project_id = ${projectId}::uuid and run.experiment_id = counted.experiment_id and run.item_id = counted.item_id
      and run.repetition = counted.repetition and run.attempt = counted.attempt`.execute(query);
}

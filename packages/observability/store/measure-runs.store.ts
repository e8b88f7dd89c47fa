import { sql } from "kysely";
import type { CodeLine } from "#contract.ts";
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

/** Tells runs of experiments where their traces failed. */
export async function placeRuns(
  query: Query,
  projectId: string,
  places: readonly { readonly trace_id: string; readonly place: CodeLine }[],
): Promise<void> {
  if (places.length === 0) {
    return;
  }
  await sql`
    with found as (
      select run.experiment_id, run.item_id, run.repetition, run.attempt, given.place
      from json_to_recordset(${JSON.stringify(places)}) as given (trace_id uuid, place json)
      join observability.experiment_runs as run on run.project_id = ${projectId}::uuid and run.trace_id = given.trace_id
      for update of run skip locked
    )
    update observability.experiment_runs as run set place = found.place from found
    where run.project_id = ${projectId}::uuid and run.experiment_id = found.experiment_id and run.item_id = found.item_id
      and run.repetition = found.repetition and run.attempt = found.attempt`.execute(query);
}

/** Has those failed runs of an experiment looked at that no place is known of: their traces were counted before they were reported. */
export async function markUnplaced(query: Query, projectId: string, experimentId: string): Promise<void> {
  await sql`
    insert into observability.issue_marks (project_id, trace_id)
    select project_id, trace_id from observability.experiment_runs
    where project_id = ${projectId}::uuid and experiment_id = ${experimentId}::uuid and trace_id is not null and state = 'failed' and place is null`.execute(
    query,
  );
}

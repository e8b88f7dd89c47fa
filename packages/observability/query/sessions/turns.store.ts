import { sql, type Selectable } from "kysely";
import type { ObservationRow, Query } from "#schema.ts";
import { selectFailedSteps, selectSteps } from "#counting/trace-parts.ts";
import type { FailedStep } from "#trace-facts/fold-trace.ts";
import { runsOf, type OfTraces } from "#query/steps/spoken.store.ts";

export type FailedStepRow = FailedStep & Pick<Selectable<ObservationRow>, "kind" | "name">;

/** The failed steps of each trace by its id and the steps right around these, in no order. */
export async function findFailedSteps(query: Query, wanted: OfTraces): Promise<ReadonlyMap<string, readonly FailedStepRow[]>> {
  const { rows } = await sql<{ trace_id: string; failed_steps: readonly FailedStepRow[] }>`
    with family as materialized (
      select trace_id, array_agg(id) as ids, array_agg(day) as days from (${runsOf(wanted)}) as run group by trace_id
    )
    select family.trace_id, ${selectFailedSteps(selectSteps(sql`${wanted.projectId}::uuid`))} as failed_steps from family`.execute(query);
  return new Map(rows.map((row) => [row.trace_id, row.failed_steps]));
}

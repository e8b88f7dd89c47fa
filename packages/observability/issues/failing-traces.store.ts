import { sql, type RawBuilder, type Transaction } from "kysely";
import { selectFailedSteps, selectSteps } from "#counting/trace-parts.ts";
import type { CodePlace } from "#event-columns.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { findFailures } from "#trace-facts/find-failures.ts";
import { growFailedTree, type FailedStep } from "#trace-facts/fold-trace.ts";
import type { StepAbove } from "./issue-facts.ts";
import { isLive } from "#store/live-traces.ts";
import { ERROR_LENGTH } from "./read-message.ts";

/** Steps that are looked at from a failure up to the trace. */
const MAX_ABOVE = 64;

export type FailingTrace = {
  readonly trace_id: string;
  readonly name: string | null;
  readonly error: string | null;
  /** As the database writes it. */
  readonly seen_at: string;
  readonly user_id: string | null;
  readonly release: string | null;
  /** Of any of its steps. */
  readonly commit: string | null;
  /** Those of experiments have no issue: their runs are told where they failed. */
  readonly isLive: boolean;
};

type Family = { readonly ids: readonly string[]; readonly days: readonly string[] };

/** A failing trace and where its failure arose: that step first, then the ones around it; none when the trace died of an error of its own. */
export type Failing = FailingTrace & { readonly stepId: string | null; readonly steps: readonly StepAbove[] };

/**
 * Those of the traces that failed, each locked against being deleted until the transaction ends, with the step that is to blame. What somebody else has
 * locked, who deletes it or writes to it, is left out: it is gone soon, or marked anew.
 */
export async function readFailing(
  transaction: Transaction<ObservabilitySchema>,
  projectId: string,
  ids: readonly string[],
): Promise<readonly Failing[]> {
  const project = sql`${projectId}::uuid`;
  const labelOf = (name: string) =>
    sql`(select substr(field, ${name.length + 2}) from unnest(entry.fields) as field where starts_with(field, ${`${name}:`}) limit 1)`;
  const { rows: traces } = await sql<FailingTrace & Family>`
    select entry.trace_id, entry.name, entry.error, entry.sort_at::text as seen_at, entry.user_id, ${labelOf("release")} as release,
      ${labelOf("commit")} as commit, ${isLive("entry")} as "isLive", family.ids, family.days
    from observability.trace_entries as entry
    join observability.traces as begun on begun.project_id = ${project} and begun.id = entry.trace_id
    cross join lateral (
      select array_agg(run.id) as ids, array_agg(run.day::text) as days from observability.traces as run
      where run.project_id = ${project} and run.id = any(entry.runs)
    ) as family
    where entry.project_id = ${project} and entry.trace_id = any(${ids}::uuid[]) and entry.status = 'failure'
      and (${isLive("entry")} or entry.purpose = 'experiment')
    for key share of begun skip locked`.execute(transaction);
  if (traces.length === 0) {
    return [];
  }
  const days = sql`${[...new Set(traces.flatMap((trace) => trace.days))]}::date[]`;
  const families = sql`jsonb_to_recordset(${JSON.stringify(traces.map(({ trace_id, ids: runs, days: on }) => ({ trace_id, ids: runs, days: on })))}::jsonb)
    as family (trace_id uuid, ids uuid[], days date[])`;
  const { rows: failed } = await sql<{ trace_id: string; failed_steps: readonly FailedStep[] }>`
    select family.trace_id, ${selectFailedSteps(selectSteps(project, days))} as failed_steps from ${families}`.execute(transaction);
  const stepsOf = new Map(failed.map((row) => [row.trace_id, row.failed_steps]));
  const blamed = traces.map((trace) => {
    const { reason } = findFailures(growFailedTree(stepsOf.get(trace.trace_id) ?? []), { status: "failure", error: trace.error });
    return { trace_id: trace.trace_id, ids: trace.ids, step_id: reason?.id ?? null };
  });
  const above = await climb(transaction, { project, days, blamed: blamed.filter(({ step_id: step }) => step !== null) });
  return traces.map(({ ids: _ids, days: _days, ...trace }, at) => {
    const steps = above.get(trace.trace_id) ?? [];
    return { ...trace, error: steps.at(0)?.error ?? trace.error, stepId: blamed[at]?.step_id ?? null, steps };
  });
}

type Climb = {
  readonly project: RawBuilder<unknown>;
  readonly days: RawBuilder<unknown>;
  readonly blamed: readonly { readonly trace_id: string; readonly ids: readonly string[]; readonly step_id: string | null }[];
};

type Climbed = StepAbove & { readonly trace_id: string; readonly error: string | null };

/** The steps to blame and those around them, by the trace; the innermost first. */
async function climb(
  transaction: Transaction<ObservabilitySchema>,
  { project, days, blamed }: Climb,
): Promise<ReadonlyMap<string, readonly Climbed[]>> {
  if (blamed.length === 0) {
    return new Map();
  }
  const { rows } = await sql<Climbed & { readonly code: CodePlace | null }>`
    with recursive above as (
      select given.trace_id, given.ids, step.parent_id, step.kind, step.name, step.code, left(step.error, ${ERROR_LENGTH}) as error, 1 as height
      from jsonb_to_recordset(${JSON.stringify(blamed)}::jsonb) as given (trace_id uuid, ids uuid[], step_id uuid)
      join observability.observations as step on step.project_id = ${project} and step.day = any(${days})
        and step.trace_id = any(given.ids) and step.id = given.step_id
      union all
      select above.trace_id, above.ids, step.parent_id, step.kind, step.name, step.code, null, above.height + 1
      from above join observability.observations as step on step.project_id = ${project} and step.day = any(${days})
        and step.trace_id = any(above.ids) and step.id = above.parent_id
      where above.height < ${MAX_ABOVE}
    )
    select trace_id, kind, name, code, error from above order by trace_id, height`.execute(transaction);
  return Map.groupBy(rows, (row) => row.trace_id);
}

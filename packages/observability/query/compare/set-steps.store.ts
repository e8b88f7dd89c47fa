import { sql } from "kysely";
import type { ObservationKind } from "#contract.ts";
import { boundSearch } from "#store/bound-search.ts";
import { sqlConditions, type ListTerm } from "#query/conditions/conditions.ts";
import { UNKNOWN_NAME } from "#query/steps/present-step.ts";
import type { Query } from "#schema.ts";
import { hasRoleIn, type InProject } from "#store/reader.ts";

type SetStepsQuery = InProject & {
  readonly terms: readonly ListTerm[];
  readonly from: Date;
  readonly now: Date;
  /** Whether all traces are counted, so that patterns can be looked up. */
  readonly isCounted: boolean;
};

export type SetStepRow = {
  readonly kind: ObservationKind;
  readonly name: string;
  readonly count: number;
  readonly traces: number;
  readonly ended: number;
  readonly failures: number;
  /** Durations of those that succeeded, in no order: 8 bytes each (`float8send`); null where there is none. */
  readonly durations: Uint8Array | null;
};

/** Traces whose steps are looked at: the newest. */
const MAX_TRACES_OF_STEPS = 2_000;
const MAX_STEPS = 500;

/**
 * The steps of the newest traces of a set by kind and name, those first that ran most often.
 *
 * @throws a database's error with the code `57014` when it takes too long.
 */
export async function readSetSteps(
  query: Query,
  { projectId, reader, terms, from, now, isCounted }: SetStepsQuery,
): Promise<{ readonly looked_at: number; readonly steps: readonly SetStepRow[] }> {
  const conditions = await sqlConditions(terms, { query, projectId, now, isCounted, isByTime: true });
  const { rows } = await query.transaction().execute(async (transaction) => {
    await boundSearch(transaction);
    return sql<SetStepRow & { readonly looked_at: number }>`
      with chosen as materialized (
        select entry.trace_id, entry.runs from observability.trace_entries as entry
        where entry.project_id = ${projectId}::uuid and entry.sort_at >= ${from}
          and ${sql.join([hasRoleIn(reader, "viewer", projectId), ...conditions], sql` and `)}
        order by entry.sort_at desc, entry.trace_id desc limit ${MAX_TRACES_OF_STEPS}
      ), step as (
        select chosen.trace_id, coalesce(observation.kind, 'span') as kind, coalesce(observation.name, ${UNKNOWN_NAME}) as name,
          observation.end_status as status, observation.duration_ms
        from chosen cross join unnest(chosen.runs) as run (id)
        join observability.traces as trace on trace.project_id = ${projectId}::uuid and trace.id = run.id
        cross join lateral (
          select * from observability.observations as own where own.project_id = ${projectId}::uuid and own.trace_id = trace.id and own.day = trace.day
          offset 0 -- or the steps of each trace would be looked for on every day
        ) as observation
      )
      select (select count(*) from chosen) as looked_at, kind, name, count(*) as count, count(distinct trace_id) as traces,
        count(status) as ended, count(*) filter (where status = 'failure') as failures,
        string_agg(float8send(duration_ms), '') filter (where status = 'success') as durations
      from step group by kind, name order by count(*) desc, kind, name limit ${MAX_STEPS}`.execute(transaction);
  });
  return { looked_at: rows[0]?.looked_at ?? 0, steps: rows };
}

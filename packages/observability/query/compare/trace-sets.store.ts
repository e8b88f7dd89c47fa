import { sql, type RawBuilder } from "kysely";
import type { ObservationKind } from "#contract.ts";
import { boundSearch } from "#query/list/bound-search.ts";
import { conditionsOf, type ListTerm } from "#query/list/trace-conditions.ts";
import { bringUpToDate } from "#query/list/up-to-date.ts";
import { UNKNOWN_NAME } from "#query/steps/present-step.ts";
import type { Query } from "#schema.ts";
import { hasRoleIn, type InProject } from "#store/reader.ts";

type Wanted = InProject & { readonly terms: readonly ListTerm[]; readonly from: Date; readonly now: Date };

/** Value, lower and upper end; null where there is none. */
type Spread = readonly [number, number, number] | null;

export type TraceSetRow = {
  readonly traces: number;
  readonly ended: number;
  readonly failures: number;
  /** How many successful traces have a duration, and how it lies. */
  readonly timed: number;
  readonly p50_ms: Spread;
  readonly p95_ms: Spread;
} & Readonly<Record<"cost" | "tokens", { readonly count: number; readonly mean: number | null; readonly deviation: number | null }>>;

export type SetStepRow = {
  readonly kind: ObservationKind;
  readonly name: string;
  readonly count: number;
  readonly traces: number;
  readonly ended: number;
  readonly failures: number;
  readonly timed: number;
  readonly p95_ms: Spread;
};

export type TraceSetRows = {
  readonly set: TraceSetRow;
  readonly traces_of_steps: number;
  readonly steps: readonly SetStepRow[];
  readonly isCounted: boolean;
};

export const MAX_SET_TRACES = 100_000;
/** Traces whose steps are looked at: the newest. */
const MAX_TRACES_OF_STEPS = 2_000;
const MAX_STEPS = 500;

/** A percentile and, by the binomial distribution of ranks, between which two durations it lies with 95% confidence. */
function percentile(part: number): RawBuilder<Spread> {
  const reach = sql`1.96 * sqrt(${part * (1 - part)}::double precision / greatest(timed, 1))`;
  return sql`percentile_disc(array[${part}::double precision, greatest(${part} - ${reach}, 0), least(${part} + ${reach}, 1)])
    within group (order by duration_ms) filter (where is_timed)`;
}

/** @throws a database's error with the code `57014` when it takes too long. */
export async function readTraceSet(query: Query, { projectId, reader, terms, from, now }: Wanted): Promise<TraceSetRows> {
  const { isCounted } = await bringUpToDate(query, projectId);
  const conditions = await conditionsOf(terms, { query, projectId, now, isCounted, isByTime: true });
  const newest = (columns: RawBuilder<unknown>, limit: number) => sql`
    select ${columns} from observability.trace_entries as entry
    where entry.project_id = ${projectId}::uuid and entry.sort_at >= ${from} and ${hasRoleIn(reader, "viewer", projectId)}
      and ${sql.join([sql<boolean>`true`, ...conditions], sql` and `)}
    order by entry.sort_at desc, entry.trace_id desc limit ${limit}`;
  const mean = (column: "cost" | "tokens") => sql`json_build_object(
    'count', count(${sql.ref(column)}) filter (where status = 'success'),
    'mean', avg(${sql.ref(column)}::double precision) filter (where status = 'success'),
    'deviation', stddev_samp(${sql.ref(column)}::double precision) filter (where status = 'success')) as ${sql.ref(column)}`;
  return query.transaction().execute(async (transaction) => {
    await boundSearch(transaction);
    const sets = await sql<TraceSetRow>`
      with chosen as materialized (${newest(sql`entry.status, entry.duration_ms, entry.cost, entry.tokens`, MAX_SET_TRACES + 1)}),
      told as (
        select chosen.*, status = 'success' and duration_ms is not null as is_timed, counted.timed
        from (select count(*) filter (where status = 'success' and duration_ms is not null) as timed from chosen) as counted
        left join chosen on true
      )
      select count(status) as traces, count(*) filter (where status <> 'running') as ended,
        count(*) filter (where status = 'failure') as failures, timed,
        ${percentile(0.5)} as p50_ms, ${percentile(0.95)} as p95_ms, ${mean("cost")}, ${mean("tokens")}
      from told group by timed`.execute(transaction);
    const steps = await sql<SetStepRow & { readonly looked_at: number }>`
      with chosen as materialized (${newest(sql`entry.trace_id, entry.runs`, MAX_TRACES_OF_STEPS)}),
      step as materialized (
        select chosen.trace_id, coalesce(observation.kind, 'span') as kind, coalesce(observation.name, ${UNKNOWN_NAME}) as name, observation.end_status as status,
          observation.duration_ms, observation.end_status = 'success' and observation.duration_ms is not null as is_timed
        from chosen cross join unnest(chosen.runs) as run (id)
        join observability.traces as trace on trace.project_id = ${projectId}::uuid and trace.id = run.id
        cross join lateral (
          select * from observability.observations as own where own.project_id = ${projectId}::uuid and own.trace_id = trace.id and own.day = trace.day
          offset 0 -- or the steps of each trace would be looked for on every day
        ) as observation
      ), told as (
        select *, count(*) filter (where is_timed) over (partition by kind, name) as timed from step
      )
      select (select count(*) from chosen) as looked_at, kind, name, count(*) as count, count(distinct trace_id) as traces,
        count(status) as ended, count(*) filter (where status = 'failure') as failures, timed, ${percentile(0.95)} as p95_ms
      from told group by kind, name, timed order by count(*) desc, kind, name limit ${MAX_STEPS}`.execute(transaction);
    const [set] = sets.rows;
    if (set === undefined) {
      throw new Error("A statement over no traces has a row of noughts");
    }
    return { set, traces_of_steps: steps.rows[0]?.looked_at ?? 0, steps: steps.rows, isCounted };
  });
}

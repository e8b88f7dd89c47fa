import { sql, type Kysely, type Selectable } from "kysely";
import type { ObservabilitySchema, ObservationRow } from "#schema.ts";
import { isOfRun, type Run } from "./find-run.store.ts";
import { costOf } from "#prices/prices.store.ts";

type Query = Kysely<ObservabilitySchema>;

/** What the order of a trace's steps is made of, and where they stand in graphs. Times are milliseconds since 1970. */
export type SkeletonRow = {
  readonly id: string;
  readonly parent_id: string | null;
  readonly trace_id: string;
  readonly producer: string | null;
  readonly seq: number;
  readonly started: number | null;
  readonly ended: number | null;
  readonly duration_ms: number | null;
  readonly seen: number;
  readonly end_status: ObservationRow["end_status"];
  readonly kind: ObservationRow["kind"];
  readonly name: string | null;
  readonly task: string | null;
  readonly step: number | null;
  /** The transaction that wrote it last, as 32 bits tell it. */
  readonly version: number;
};

export type Skeleton = Seen & {
  /** Those that began first, {@link STEPS_MAX} at the most, in no order. */
  readonly rows: readonly SkeletonRow[];
  readonly total: number;
};

/** What of a trace a statement could see. */
export type Seen = {
  /** As `pg_current_snapshot()` writes it. */
  readonly snapshot: string;
  /** The transactions that wrote something of the trace, as 32 bits tell them. */
  readonly versions: readonly number[];
};

/** Steps of a trace that can be listed. */
const STEPS_MAX = 100_000;

/** Everything about all steps that a page of them depends on, as small as it can be, in one look at the database. */
export async function findSkeleton(query: Query, run: Run): Promise<Skeleton> {
  const { rows } = await sql<Answer>`
    select pg_current_snapshot()::text as snapshot,
      coalesce((select json_agg(placed) from (
        select id, parent_id, trace_id, coalesce(start_producer, end_producer) as producer, coalesce(start_seq, end_seq, 0) as seq,
          ${millisOf("started_at")} as started, ${millisOf("ended_at")} as ended, duration_ms, ${millisOf("seen_at")} as seen, end_status, kind,
          case when graph_step is not null or kind = 'graph' then name end as name,
          graph_step ->> 'task' as task, (graph_step ->> 'step')::double precision as step, xmin::text::bigint as version
        from observability.observations
        where ${isOfRun(run)}
        order by coalesce(started_at, seen_at), id
        limit ${STEPS_MAX + 1}
      ) as placed), '[]') as steps,
      ${versionsOf(run)} as versions`.execute(query);
  const [{ snapshot, steps, versions } = NOTHING] = rows;
  const isCut = steps.length > STEPS_MAX;
  return {
    rows: isCut ? steps.slice(0, STEPS_MAX) : steps,
    total: isCut ? await countSteps(query, run) : steps.length,
    snapshot,
    versions,
  };
}

type Answer = { readonly snapshot: string; readonly steps: readonly SkeletonRow[]; readonly versions: readonly number[] };
const NOTHING: Answer = { snapshot: "", steps: [], versions: [] };

export async function findVersions(query: Query, run: Run): Promise<Seen> {
  const { rows } = await sql<Seen>`select pg_current_snapshot()::text as snapshot, ${versionsOf(run)} as versions`.execute(query);
  return rows[0] ?? NOTHING;
}

function versionsOf(run: Run) {
  const ids = run.segments.map(({ id }) => id);
  return sql<readonly number[]>`coalesce((select json_agg(distinct version) from (
    select xmin::text::bigint as version from observability.traces where project_id = ${run.projectId} and id = any(${ids}::uuid[])
    union all
    select xmin::text::bigint from observability.observations where ${isOfRun(run)}
    union all
    select xmin::text::bigint from observability.payloads where ${isOfRun(run)} and part in ('update', 'enter')
  ) as row), '[]')`;
}

async function countSteps(query: Query, run: Run): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) from observability.observations where ${isOfRun(run)}`.execute(query);
  return rows[0]?.count ?? 0;
}

/** Of those that are named: what a page shows of them beside the skeleton. */
export type StepDetail = Pick<
  Selectable<ObservationRow>,
  | "id"
  | "trace_id"
  | "kind"
  | "name"
  | "model"
  | "input_tokens"
  | "output_tokens"
  | "cache_read_tokens"
  | "cache_write_tokens"
  | "reasoning_tokens"
  | "error"
  | "code"
> & { readonly cost: number | null; readonly is_abandoned: boolean };

/** Characters of an error that a step shows. */
const ERROR_MAX = 300;

export async function findStepDetails(query: Query, run: Run, ids: readonly string[]): Promise<readonly StepDetail[]> {
  const { rows } = await sql<StepDetail>`
    with step as materialized (
      select id, trace_id, kind, name, model, hour, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens,
        uncached_tokens, start_producer, end_status, code,
        case when length(error) <= ${ERROR_MAX} then error else left(error, ${ERROR_MAX - 1}) || '…' end as error
      from observability.observations
      where ${isOfRun(run)} and id = any(${[...ids]}::uuid[])
    ), priced as materialized (
      select used.model, used.hour, price.*
      from (select distinct model, hour from step where input_tokens is not null or output_tokens is not null) as used
      cross join lateral observability.price_of(${run.projectId}, used.model, used.hour) as price
    )
    select step.id, step.trace_id, step.kind, step.name, step.model, step.input_tokens, step.output_tokens, step.cache_read_tokens,
      step.cache_write_tokens, step.reasoning_tokens, step.error, step.code,
      case when step.input_tokens is not null or step.output_tokens is not null then ${costOf("step", "price")} end as cost,
      step.end_status is null and exists (
        select from observability.producers as producer
        where producer.project_id = ${run.projectId} and producer.producer_id = step.start_producer and producer.gone_at is not null
      ) as is_abandoned
    from step left join priced as price on price.model = step.model and price.hour = step.hour`.execute(query);
  return rows;
}

function millisOf(column: string) {
  return sql<number>`(extract(epoch from ${sql.ref(column)}) * 1000)::double precision`;
}

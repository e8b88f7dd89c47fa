import { sql, type Kysely } from "kysely";
import type { ObservabilitySchema, ObservationRow } from "#schema.ts";
import { isOfRun, type Run } from "./find-run.store.ts";
import { BY_START, readSteps, type StepRow } from "./step.store.ts";

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
  /** The steps that began first, {@link MAX_STEPS} at the most, in no order. */
  readonly rows: readonly SkeletonRow[];
  readonly total: number;
};

/** What of a trace a statement could see. */
export type Seen = {
  /** The snapshot as `pg_current_snapshot()` writes it. */
  readonly snapshot: string;
  /** The transactions that wrote something of the trace, as 32 bits tell them. */
  readonly versions: readonly number[];
};

/** Steps of a trace that can be listed. */
const MAX_STEPS = 100_000;

/** Everything about all steps that a page of them depends on, as small as it can be, in one look at the database. */
export async function findSkeleton(query: Query, run: Run): Promise<Skeleton> {
  const { rows } = await sql<Answer>`
    select pg_current_snapshot()::text as snapshot,
      coalesce((select jsonb_agg(placed) from (
        select id, parent_id, trace_id, coalesce(start_producer, end_producer) as producer, coalesce(start_seq, end_seq, 0) as seq,
          ${millisOf("started_at")} as started, ${millisOf("ended_at")} as ended, duration_ms, ${millisOf("seen_at")} as seen, end_status, kind,
          case when graph_step is not null or kind = 'graph' then name end as name,
          graph_step ->> 'task' as task, (graph_step ->> 'step')::double precision as step, xmin::text::bigint as version
        from observability.observations
        where ${isOfRun(run)}
        order by ${BY_START}
        limit ${MAX_STEPS + 1}
      ) as placed), '[]') as steps,
      ${versionsOf(run)} as versions`.execute(query);
  const [{ snapshot, steps, versions } = NOTHING] = rows;
  const isCut = steps.length > MAX_STEPS;
  return {
    rows: isCut ? steps.slice(0, MAX_STEPS) : steps,
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

/** Reads the steps of one page of a list. */
export async function findListedSteps(query: Query, run: Run, ids: readonly string[]): Promise<readonly StepRow[]> {
  return readSteps(query, {
    projectId: run.projectId,
    from: sql`select * from observability.observations where ${isOfRun(run)} and id = any(${[...ids]}::uuid[])`,
    error: { whole: 300, kept: 299 },
  });
}

/** Reads the steps that began first, with their errors. */
export async function findFirstSteps(query: Query, run: Run, limit: number): Promise<readonly StepRow[]> {
  return readSteps(query, {
    projectId: run.projectId,
    from: sql`select * from observability.observations where ${isOfRun(run)} order by ${BY_START} limit ${limit}`,
    error: WHOLE_ERROR,
  });
}

/** Characters of an error. */
const WHOLE_ERROR = { whole: 65_536, kept: 65_536 };

/** Finds the step; where several parts of a trace have one with the id, the first part's. */
export async function findObservation(query: Query, run: Run, id: string): Promise<StepRow | undefined> {
  const [row] = await readSteps(query, {
    projectId: run.projectId,
    from: sql`
      select * from observability.observations where ${isOfRun(run)} and id = ${id}
      order by array_position(${run.segments.map((segment) => segment.id)}::uuid[], trace_id) limit 1`,
    error: WHOLE_ERROR,
  });
  return row;
}

/** The steps of a run whose ids end as asked; a few are enough to see that there are several. */
export async function findStepIds(query: Query, run: Run, ending: string): Promise<readonly { readonly id: string }[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct id::text as id from observability.observations
    where ${isOfRun(run)} and right(id::text, length(${ending})) = ${ending} limit 3`.execute(query);
  return rows;
}

function millisOf(column: string) {
  return sql<number>`(extract(epoch from ${sql.ref(column)}) * 1000)::double precision`;
}

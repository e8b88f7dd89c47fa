import { sql, type Kysely, type RawBuilder, type Selectable } from "kysely";
import type { ObservabilitySchema, TraceRow } from "#schema.ts";
import { comparedOf, countFailures } from "#store/count-failures.ts";
import { priceOf } from "#store/price-of.ts";
import { costOf } from "#prices/prices.store.ts";
import { hasRole, listVisibleIds, type Reader } from "#store/reader.ts";
import { beginningOf, segmentsOf } from "#store/segments.ts";
import { ADDED_NUMBERS, NUMBERS, type AddedNumberName, type NumberUnit, type TraceNumbers } from "#step-numbers.ts";
import { statusOfRun, type TraceStatus } from "./abandoned.store.ts";
import type { Run } from "./find-run.store.ts";
import { cutText } from "./step.store.ts";

type Query = Kysely<ObservabilitySchema>;

export type TraceSummaryRow = Pick<
  Selectable<TraceRow>,
  | "id"
  | "project_id"
  | "name"
  | "started_at"
  | "sort_at"
  | "ended_at"
  | "thread_id"
  | "session_id"
  | "user_id"
  | "error"
  | "start_event"
  | "end_event"
> &
  Pick<TraceNumbers, AddedNumberName | "cost"> & {
    readonly status: TraceStatus;
    /** The runs it consists of: from its start to its first pause, from there to the next, … */
    readonly segments: readonly SegmentRow[];
    readonly run: Run;
    /** Between an interrupt and its resume. */
    readonly waiting_ms: number;
    readonly observations: number;
    readonly failures: number;
  };

type SegmentRow = {
  readonly id: string;
  readonly status: TraceStatus;
  readonly started_at: string;
  readonly ended_at: string | null;
};

/** Characters of an error at the most. */
const MAX_ERROR = 16_384;

/** Without a project, the newest of that id among the reader's projects. The id of any run of a trace finds the whole trace. */
export async function findTrace(
  query: Query,
  wanted: { readonly reader: Reader; readonly traceId: string; readonly projectId?: string },
): Promise<TraceSummaryRow | undefined> {
  const { reader, traceId } = wanted;
  const projectId = wanted.projectId ?? (await findProjectOf(query, { reader, traceId }));
  const row =
    projectId === undefined
      ? undefined
      : await summaries(query, reader, projectId)
          .where("trace.id", "=", beginningOf(sql`${projectId}::uuid`, sql`${traceId}::uuid`).$notNull())
          .executeTakeFirst();
  if (row === undefined) {
    return undefined;
  }
  const { days, ...trace } = row;
  const segments = trace.segments.map(({ id }, index) => ({ id, day: days[index] ?? "" }));
  return { ...trace, run: { reader, projectId: trace.project_id, segments } };
}

/** The project in which a run of that id began last, where several have one. */
async function findProjectOf(
  query: Query,
  { reader, traceId }: { readonly reader: Reader; readonly traceId: string },
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select part.project_id as id from observability.traces as part
    where part.project_id = any(${await listVisibleIds(query, reader)}::uuid[]) and part.id = ${traceId}::uuid
    order by part.sort_at desc limit 1`.execute(query);
  return rows[0]?.id;
}

type Family = Pick<Selectable<TraceRow>, "ended_at" | "error" | "end_event"> &
  Pick<TraceSummaryRow, "status" | "segments" | "waiting_ms"> & { readonly ids: readonly string[] };

/** What a trace and the runs that resumed it are together. It ended as the last of them did. */
function familyOf(project: RawBuilder<unknown>) {
  return sql<Family>`(
  select array_agg(id order by place) as ids, array_agg(day order by place) as days,
    json_agg(json_build_object('id', id, 'status', status, 'started_at', ${isoOf("sort_at")}, 'ended_at', ${isoOf("ended_at")}) order by place) as segments,
    (array_agg(status order by place desc))[1] as status,
    (array_agg(ended_at order by place desc))[1] as ended_at,
    (array_agg(error order by place desc))[1] as error,
    (array_agg(end_event order by place desc))[1] as end_event,
    coalesce(sum(greatest(waited, 0)), 0)::double precision as waiting_ms
  from (
    select *, row_number() over by_time as place, extract(epoch from sort_at - lag(ended_at) over by_time) * 1000 as waited
    from (
      select trace.id, trace.day, trace.sort_at, trace.ended_at, ${statusOfRun(project, "trace")} as status, ${errorOf("trace")} as error, trace.end_event
      where trace.paused_at is null
      union all
      select part.id, part.day, part.sort_at, part.ended_at, ${statusOfRun(project, "part")}, ${errorOf("part")}, part.end_event
      from ${segmentsOf(project, sql`trace.id`)} as part where trace.paused_at is not null
    ) as segment
    window by_time as (order by sort_at, id)
  ) as placed
)`;
}

/** Only an event's length bounds it, and a page has 200. */
function errorOf(run: "trace" | "part") {
  return cutText(`${run}.error`, { whole: MAX_ERROR, kept: MAX_ERROR });
}

function isoOf(column: string) {
  return sql`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

function summaries(query: Query, reader: Reader, projectId: string) {
  const project = sql`${projectId}::uuid`;
  return query
    .selectFrom("observability.traces as trace")
    .innerJoin("observability.projects as project", "project.id", "trace.project_id")
    .innerJoinLateral(familyOf(project).as<"family">(sql`family`), (join) => join.onTrue())
    .innerJoinLateral(
      () => totalsOf(project).as("total"),
      (join) => join.onTrue(),
    )
    .where("trace.project_id", "=", projectId)
    .where(hasRole(reader, "viewer"))
    .select([
      "trace.id",
      "trace.project_id",
      "trace.name",
      "trace.started_at",
      "trace.sort_at",
      "trace.thread_id",
      "trace.session_id",
      "trace.user_id",
      "trace.start_event",
      "family.status",
      "family.ended_at",
      "family.error",
      "family.end_event",
      "family.segments",
      sql<readonly string[]>`family.days::text[]`.as("days"),
      "family.waiting_ms",
      "total.observations",
      "total.failures",
      ...ADDED_NUMBERS.map((name) => `total.${name}` as const),
      "total.cost",
    ]);
}

type Totals = Pick<TraceSummaryRow, "observations" | "failures" | AddedNumberName | "cost">;

const numbersOfPart = ADDED_NUMBERS.map((name) => sql`${addedUp(name, "observation")} as ${sql.ref(name)}`);
const numbersOfTrace = ADDED_NUMBERS.map((name) => sql`${bounded(addedUp(name, "part"), NUMBERS[name].unit)} as ${sql.ref(name)}`);

/** Of one `trace` and its `family`. Prices change by the hour, so the calls of one model and hour are priced as one. */
function totalsOf(project: RawBuilder<unknown>) {
  const ofTrace = sql`unnest(family.ids, family.days) as segment (id, day)
    join observability.observations as observation on observation.trace_id = segment.id and observation.day = segment.day`;
  const failures = countFailures({
    failed: sql`failed`,
    isStep: (id) => sql`exists (select from ${ofTrace} where observation.project_id = ${project} and observation.id = ${id})`,
    trace: { status: sql`family.status`, error: sql`family.error` },
  });
  return sql<Totals>`(
  with failed as materialized (
    select observation.id, observation.parent_id, ${comparedOf(sql`observation.error`)} as error
    from ${ofTrace}
    where observation.project_id = ${project} and observation.end_status = 'failure'
  )
  select coalesce(sum(part.observations), 0)::bigint as observations, ${failures} as failures,
    ${sql.join(numbersOfTrace)},
    sum(${costOf("part", "price")}) as cost
  from (
    select observation.model, observation.hour,
      count(*) as observations,
      ${sql.join(numbersOfPart)},
      sum(observation.uncached_tokens) as uncached_tokens, sum(observation.cache_read_tokens) as cache_read_tokens,
      sum(observation.cache_write_tokens) as cache_write_tokens
    from ${ofTrace}
    where observation.project_id = ${project}
    group by observation.model, observation.hour
  ) as part
  left join lateral ${priceOf(project, sql`part.model`, sql`part.hour`)} as price
    on part.input_tokens is not null or part.output_tokens is not null
)`;
}

function addedUp(name: AddedNumberName, of: string) {
  return sql`${sql.raw(NUMBERS[name].ofTrace)}(${sql.ref(`${of}.${name}`)})`;
}

/** A producer may count nonsense; a sum that no number holds must not hide the rows it stands in. */
function bounded(number: RawBuilder<unknown>, unit: NumberUnit) {
  // Not `least`, which makes a number of null.
  const within = sql`(case when ${number} > ${Number.MAX_SAFE_INTEGER} then ${Number.MAX_SAFE_INTEGER} else ${number} end)`;
  return unit === "count" ? sql`${within}::bigint` : within;
}

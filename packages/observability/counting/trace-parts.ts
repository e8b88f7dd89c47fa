import { sql, type RawBuilder } from "kysely";
import { selectCost, selectPrice } from "#prices/select-price.ts";
import { ADDED_NUMBERS, NUMBERS, type AddedNumberName, type NumberUnit, type TraceNumbers } from "#step-numbers.ts";
import type { FailedStep, Segment, TraceParts } from "#trace-facts/fold-trace.ts";
import { selectSegments } from "#store/segments.ts";

/** Failed steps of a trace that are looked at. */
const MAX_FAILED = 1_000;
/** Calls that are priced anew from their sums alone: pairs of a model and an hour. Of a trace with more the steps are read again. */
const MAX_USAGE = 100;

export type SegmentRow = Segment & {
  readonly day: string;
  readonly has_start: boolean;
  readonly has_end: boolean;
  readonly end_event: string | null;
  readonly end_line: string | null;
  /** The end as the database writes it: exact, where `ended` is cut to what a number holds. */
  readonly ended_at: string | null;
};

/** The parts of a trace that decide what it is: its segments, its failed steps, and sums over all its steps. */
export type TracePartsRow = TraceParts<SegmentRow> &
  Pick<TraceNumbers, AddedNumberName | "cost"> & {
    readonly steps: number;
    /** Tokens and reported costs by model and hour: `[model, hour, uncached, cache_read, cache_write, output, reported]`; null when there are too many. */
    readonly usage: readonly (readonly [string | null, string, ...(number | null)[]])[] | null;
  };

type TracePartsOptions = {
  /** Named in every condition, so that the statement is seen to be about one project. */
  readonly project: RawBuilder<unknown>;
  /** Selects the status and the error of the relation `run`, a segment of the trace. */
  readonly status: RawBuilder<unknown>;
  readonly error: RawBuilder<unknown>;
  /** The days of its runs: a plan that is told of them looks at no others. */
  readonly days?: RawBuilder<unknown>;
};

/** Selects the {@link TracePartsRow} of the trace that begins with the run `begun`. What is made of it is decided by `foldTrace`. */
export function selectTraceParts({ project, status, error, days }: TracePartsOptions): RawBuilder<unknown> {
  const steps = selectSteps(project, days);
  return sql`(
    select family.segments, total.*, case when total.failed = 0 then '[]'::jsonb else ${selectFailedSteps(steps)} end as failed_steps
    from (
      select array_agg(run.id) as ids, array_agg(run.day) as days, jsonb_agg(jsonb_build_object(
        'id', run.id, 'day', run.day, 'status', ${status}, 'error', ${error}, 'end_line', run.end_line, 'end_event', run.end_event,
        'started', ${microsOf("run.started_at")}, 'sorted_at', ${microsOf("run.sort_at")}, 'ended', ${microsOf("run.ended_at")}, 'ended_at', run.ended_at,
        'has_start', run.start_event is not null, 'has_end', run.end_event is not null
      ) order by run.sort_at, run.id) as segments
      from (
        select begun.* where begun.paused_at is null
        union all
        select own.* from ${selectSegments(project, sql`begun.id`)} as part
        join observability.traces as own on own.project_id = ${project} and own.id = part.id
        where begun.paused_at is not null
      ) as run
    ) as family
    cross join lateral (
      select coalesce(sum(part.steps), 0)::bigint as steps, coalesce(sum(part.failed), 0)::bigint as failed, ${sql.join(NUMBERS_OF_TRACE)},
        sum(${selectCost("part", "price")}) as cost,
        case when count(*) filter (where part.is_used) <= ${MAX_USAGE} then coalesce(jsonb_agg(jsonb_build_array(
          part.model, part.hour, part.uncached_tokens, part.cache_read_tokens, part.cache_write_tokens, part.output_tokens, part.reported_cost
        )) filter (where part.is_used), '[]') end as usage
      from (
        select step.model, step.hour, count(*) as steps, count(*) filter (where step.end_status = 'failure') as failed, ${sql.join(NUMBERS_OF_PART)},
          sum(step.uncached_tokens) as uncached_tokens, sum(step.cache_read_tokens) as cache_read_tokens,
          sum(step.cache_write_tokens) as cache_write_tokens, sum(step.reported_cost) as reported_cost,
          bool_or(step.input_tokens is not null or step.output_tokens is not null or step.reported_cost is not null) as is_used
        from ${steps} group by step.model, step.hour, step.reported_cost is not null
      ) as part
      left join lateral ${selectPrice(project, sql`part.model`, sql`part.hour`)} as price on part.is_used
    ) as total
  )`;
}

/** The steps of a `family` of runs with their `ids` and `days`, as the relation `step`. */
export function selectSteps(project: RawBuilder<unknown>, days?: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`unnest(family.ids, family.days) as member (id, day)
    join observability.observations as step on step.project_id = ${project} and step.trace_id = member.id and step.day = member.day
      and ${days === undefined ? sql`true` : sql`step.day = any(${days})`}`;
}

/** The failed steps among {@link selectSteps} and the steps right around them, as a list of {@link FailedStep} with kind and name. */
export function selectFailedSteps(steps: RawBuilder<unknown>): RawBuilder<readonly FailedStep[]> {
  return sql<readonly FailedStep[]>`(
    with failed as materialized (
      select step.id, step.parent_id from ${steps} where step.end_status = 'failure'
      order by coalesce(step.ended_at, step.seen_at) desc, step.id desc limit ${MAX_FAILED}
    )
    select coalesce(jsonb_agg(jsonb_build_object(
      'id', step.id, 'parent_id', step.parent_id, 'kind', step.kind, 'name', step.name, 'status', coalesce(step.end_status, 'running'),
      'error', left(step.error, 300), 'started', ${millisOf("step.started_at")}, 'ended', ${millisOf("step.ended_at")},
      'duration_ms', step.duration_ms, 'seen', ${millisOf("step.seen_at")},
      'producer', coalesce(step.start_producer, step.end_producer), 'seq', coalesce(step.start_seq, step.end_seq, 0)
    )), '[]')
    from ${steps} where step.id in (select id from failed union select parent_id from failed)
  )`;
}

const NUMBERS_OF_PART = ADDED_NUMBERS.map((name) => sql`${addedUp(name, "step")} as ${sql.ref(name)}`);
const NUMBERS_OF_TRACE = ADDED_NUMBERS.map((name) => sql`${bounded(addedUp(name, "part"), NUMBERS[name].unit)} as ${sql.ref(name)}`);

function addedUp(name: AddedNumberName, relation: string) {
  return sql`${sql.raw(NUMBERS[name].ofTrace)}(${sql.ref(`${relation}.${name}`)})`;
}

/** A producer may count nonsense; a sum that no number holds must not hide the rows it stands in. */
function bounded(number: RawBuilder<unknown>, unit: NumberUnit) {
  // Not `least`, which makes a number of null.
  const within = sql`(case when ${number} > ${Number.MAX_SAFE_INTEGER} then ${Number.MAX_SAFE_INTEGER} else ${number} end)`;
  return unit === "count" ? sql`${within}::bigint` : within;
}

function microsOf(column: string) {
  return sql`(extract(epoch from ${sql.ref(column)}) * 1000000)::double precision`;
}

function millisOf(column: string) {
  return sql<number>`(extract(epoch from ${sql.ref(column)}) * 1000)::double precision`;
}

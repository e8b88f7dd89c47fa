import { sql, type Kysely, type Selectable } from "kysely";
import type { ObservabilitySchema, TraceRow } from "#schema.ts";
import { isAfter, microsOf, type Position } from "./position.ts";
import { costOf } from "./prices.store.ts";
import { searchWordsOf } from "./search-words.ts";

type Query = Kysely<ObservabilitySchema>;

type TraceStatus = Selectable<TraceRow>["status"] | "abandoned";

export type TraceSummaryRow = Pick<
  Selectable<TraceRow>,
  "id" | "project_id" | "name" | "started_at" | "sort_at" | "ended_at" | "thread_id" | "error" | "start_event" | "end_event"
> & {
  readonly position: string;
  readonly status: TraceStatus;
  readonly observations: number;
  readonly failures: number;
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  /** Dollars; of calls whose model has a price. */
  readonly cost: number | null;
};

type TraceFilter = {
  readonly projectId: string;
  readonly tenantId: string;
  readonly status: string | undefined;
  /** A part of the name, in either case. */
  readonly name: string | undefined;
  readonly search: string | undefined;
  readonly after: Position | undefined;
  readonly limit: number;
};

/** Newest first. */
export async function listTraces(query: Query, filter: TraceFilter): Promise<readonly TraceSummaryRow[]> {
  const { status, name, search, after } = filter;
  let rows = summaries(query, filter.tenantId).where("trace.project_id", "=", filter.projectId);
  if (status !== undefined) {
    // Said twice: only of a trace that runs is it asked whether anybody is left to end it.
    rows = rows.where(sql<boolean>`trace.status = ${status === "abandoned" ? "running" : status} and ${statusOf} = ${status}`);
  }
  if (name !== undefined) {
    rows = rows.where(sql<boolean>`strpos(lower(trace.name), lower(${name})) > 0`);
  }
  if (search !== undefined) {
    rows = rows.where(sql<boolean>`trace.words @> ${searchWordsOf([search])}::text[]`);
  }
  if (after !== undefined) {
    rows = rows.where(isAfter("trace.sort_at", "trace.id", after));
  }
  return rows.orderBy("trace.sort_at", "desc").orderBy("trace.id", "desc").limit(filter.limit).execute();
}

/** Without a project, the newest of that id among the tenant's projects. */
export async function findTrace(
  query: Query,
  wanted: { readonly tenantId: string; readonly traceId: string; readonly projectId?: string },
): Promise<TraceSummaryRow | undefined> {
  let rows = summaries(query, wanted.tenantId).where("trace.id", "=", wanted.traceId);
  if (wanted.projectId !== undefined) {
    rows = rows.where("trace.project_id", "=", wanted.projectId);
  }
  return rows.orderBy("trace.sort_at", "desc").limit(1).executeTakeFirst();
}

function summaries(query: Query, tenantId: string) {
  return query
    .selectFrom("observability.traces as trace")
    .innerJoin("observability.projects as project", "project.id", "trace.project_id")
    .innerJoinLateral(
      () => totals.as("total"),
      (join) => join.onTrue(),
    )
    .where("project.tenant_id", "=", tenantId)
    .select([
      "trace.id",
      "trace.project_id",
      "trace.name",
      statusOf.as("status"),
      "trace.started_at",
      "trace.sort_at",
      "trace.ended_at",
      "trace.thread_id",
      "trace.error",
      "trace.start_event",
      "trace.end_event",
      microsOf("trace.sort_at").as("position"),
      "total.observations",
      "total.failures",
      "total.input_tokens",
      "total.output_tokens",
      "total.cost",
    ]);
}

const statusOf = sql<TraceStatus>`observability.status_of(trace.project_id, trace.id, trace.day, trace.status, trace.start_producer)`;

type Totals = Pick<TraceSummaryRow, "observations" | "failures" | "input_tokens" | "output_tokens" | "cost">;

/** Of one `trace`. Prices change by the hour, so the calls of one model and hour are priced as one. */
const totals = sql<Totals>`(
  select coalesce(sum(part.observations), 0)::bigint as observations, coalesce(sum(part.failures), 0)::bigint as failures,
    ${sumOf("part.input_tokens")} as input_tokens, ${sumOf("part.output_tokens")} as output_tokens,
    sum(${costOf("part", "price")}) as cost
  from (
    select observation.model, observation.hour,
      count(*) as observations, count(*) filter (where observation.end_status = 'failure') as failures,
      sum(observation.input_tokens) as input_tokens, sum(observation.output_tokens) as output_tokens,
      sum(observation.uncached_tokens) as uncached_tokens, sum(observation.cache_read_tokens) as cache_read_tokens,
      sum(observation.cache_write_tokens) as cache_write_tokens
    from observability.observations as observation
    where observation.project_id = trace.project_id and observation.trace_id = trace.id and observation.day = trace.day
    group by observation.model, observation.hour
  ) as part
  left join lateral observability.price_of(trace.project_id, part.model, part.hour) as price
    on part.input_tokens is not null or part.output_tokens is not null
)`;

/** A producer may count nonsense; a sum that no number holds must not hide the rows it stands in. */
function sumOf(column: string) {
  const sum = sql`sum(${sql.ref(column)})`;
  // Not `least`, which makes a number of null.
  return sql<number | null>`(case when ${sum} > ${Number.MAX_SAFE_INTEGER} then ${Number.MAX_SAFE_INTEGER} else ${sum} end)::bigint`;
}

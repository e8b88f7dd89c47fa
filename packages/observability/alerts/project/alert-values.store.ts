import { sql } from "kysely";
import { parseTraceQuery, type AlertFilter, type AlertMetric } from "#contract.ts";
import type { Query } from "#schema.ts";
import { selectCost, selectPrice } from "#prices/select-price.ts";
import { isLive, isOfLiveTrace } from "#store/live-traces.ts";
import { sqlConditions } from "#query/conditions/conditions.ts";
import { scoreLoss, scoreMean } from "./score-values.store.ts";
import { hourOf } from "#counting/packed-columns.ts";

/** A rule for issues or experiments has no value. */
export type MeasuredMetric = Exclude<AlertMetric, "issues" | "experiments">;

export type AlertQuestion = {
  readonly projectId: string;
  readonly metric: MeasuredMetric;
  readonly windowMinutes: number;
  readonly filter: AlertFilter;
};

type ScoreMetric = "score_below" | "score_above" | "score_worse";
type Expression = ReturnType<typeof sql>;

/** The time limit of one rule's query; a rule that takes longer becomes `unknown` and says so. */
const LIMIT_MS = 5_000;

/**
 * Reads the value that a rule judges, over its window until now. Only for the background task that evaluates rules,
 * since it reads as no particular reader.
 *
 * @returns null when there is nothing to compute the value from.
 */
export async function readAlertValue(query: Query, question: AlertQuestion): Promise<number | null> {
  return query.transaction().execute(async (transaction) => {
    await sql`set local statement_timeout = ${sql.raw(String(LIMIT_MS))}`.execute(transaction);
    const { rows } = await (await select(transaction, question)).execute(transaction);
    return rows[0]?.value ?? null;
  });
}

async function select(transaction: Query, { metric, ...question }: AlertQuestion) {
  if (metric === "matching") {
    return matching(transaction, question);
  }
  if (metric === "score_below" || metric === "score_above") {
    return scoreMean(question);
  }
  return metric === "score_worse" ? scoreLoss(transaction, question) : statement({ ...question, metric });
}

/** Counts traces that began in the window and that the query finds. */
async function matching(transaction: Query, question: Omit<AlertQuestion, "metric">) {
  const { projectId, filter } = question;
  const { terms } = parseTraceQuery(filter.query ?? "");
  const conditions = await sqlConditions(terms, { query: transaction, projectId, now: new Date(), isCounted: false, isByTime: true });
  return sql<Answer>`
    select count(*)::double precision as value from observability.trace_entries as entry
    where entry.project_id = ${projectId}::uuid and entry.sort_at >= ${sinceOf(question)} and ${sql.join(conditions, sql` and `)}`;
}

function statement(question: AlertQuestion & { readonly metric: Exclude<MeasuredMetric, "matching" | ScoreMetric> }) {
  const { projectId, metric, filter } = question;
  const since = sinceOf(question);
  switch (metric) {
    case "gaps":
      return sql<Answer>`
        select coalesce(sum(last_seq - first_seq + 1), 0)::double precision as value
        from observability.ingest_gaps where project_id = ${projectId} and found_at >= ${since}`;
    case "no_traces":
      return sql<Answer>`
        select count(*)::double precision as value from observability.trace_entries as entry
        where project_id = ${projectId} and sort_at >= ${since} and ${isLive("entry")} ${isNamed(filter)}`;
    case "cost":
    case "tokens":
    case "cost_per_user":
      return usage(question);
    case "errors":
    case "error_rate":
    case "latency_p95":
      return sql<Answer>`select ${VALUES[metric]} as value from (${ended(question)}) as ended`;
    default:
      return metric satisfies never;
  }
}

type Answer = { readonly value: number | null };

const VALUES = {
  errors: sql`count(*) filter (where is_failure)::double precision`,
  error_rate: sql`avg(is_failure::integer)::double precision`,
  latency_p95: sql`percentile_cont(0.95) within group (order by duration_ms)`,
} as const;

/** Selects the traces that ended in the window, or the steps that the filter names. */
function ended(question: AlertQuestion): Expression {
  const { projectId, filter } = question;
  const since = sinceOf(question);
  if (filter.model === undefined && filter.node === undefined) {
    return sql`
      select status = 'failure' as is_failure, duration_ms from observability.trace_entries as entry
      where project_id = ${projectId} and ended_at >= ${since} and ${isLive("entry")} ${isNamed(filter)}`;
  }
  const isWanted = filter.node === undefined ? sql`step.model = ${filter.model}` : sql`step.kind = 'node' and step.name = ${filter.node}`;
  return sql`select step.end_status = 'failure' as is_failure, step.duration_ms ${steps(question)} and ${isWanted}`;
}

/** Selects model calls at the prices of their hour; for one user, the user whose calls cost most. */
function usage(question: AlertQuestion) {
  const { projectId, metric, filter } = question;
  const calls = sql`
    select run.user_id, step.input_tokens, step.output_tokens, ${selectCost("step", "price")} as cost
    from (select step.* ${steps(question)} and step.model is not null ${filter.model === undefined ? sql`` : sql`and step.model = ${filter.model}`}) as step
    join observability.traces as run on run.project_id = ${projectId} and run.id = step.trace_id
    left join lateral ${selectPrice(sql`${projectId}::uuid`, sql`step.model`, sql`step.hour`)} as price on true`;
  if (metric === "cost") {
    return sql<Answer>`select sum(cost)::double precision as value from (${calls}) as call`;
  }
  if (metric === "tokens") {
    return sql<Answer>`
        select sum(coalesce(input_tokens, 0) + coalesce(output_tokens, 0))::double precision as value from (${calls}) as call`;
  }
  return sql<Answer>`
        select max(spent)::double precision as value
        from (select sum(cost) as spent from (${calls}) as call where user_id is not null group by user_id) as each`;
}

/** Finds steps by the hours in which they began; a step that took longer than an hour is not always found. */
function steps(question: AlertQuestion): Expression {
  const { projectId, filter } = question;
  const since = sinceOf(question);
  const ofTrace =
    filter.trace === undefined
      ? sql``
      : sql`and exists (
          select from observability.traces as named
          where named.project_id = ${projectId} and named.id = step.trace_id and named.name = ${filter.trace}
        )`;
  return sql`
    from observability.observations as step
    where step.project_id = ${projectId}
      and step.hour >= ${hourOf(since)} - interval '1 hour'
      and step.ended_at >= ${since} and ${isOfLiveTrace(sql`${projectId}::uuid`, "step.trace_id")} ${ofTrace}`;
}

function isNamed({ trace }: AlertFilter): Expression {
  return trace === undefined ? sql`` : sql`and name = ${trace}`;
}

function sinceOf({ windowMinutes }: Pick<AlertQuestion, "windowMinutes">): Expression {
  return sql`(now() - ${windowMinutes} * interval '1 minute')`;
}

import { sql, type Kysely, type RawBuilder, type Selectable } from "kysely";
import type { ObservationStatus } from "#contract.ts";
import { selectCost, selectPrice } from "#prices/select-price.ts";
import type { ObservabilitySchema, ObservationRow } from "#schema.ts";
import { CALL_NUMBERS, type CallNumberName } from "#step-numbers.ts";
import { statusOfStep } from "./abandoned.store.ts";
import { isOfRun, type Run } from "./find-run.store.ts";

/**
 * The one model of a step: every reader that tells of steps takes its columns, its status, its cost and its cut error from here, and brings
 * which steps it wants.
 */
export type StepRow = Pick<Selectable<ObservationRow>, (typeof COLUMNS)[number] | CallNumberName | "code" | "error"> & {
  /** One that has not ended is abandoned when its producer is gone, since nobody else can end it. */
  readonly status: ObservationStatus;
  /** Dollars, when it used tokens of a model that has a price. */
  readonly cost: number | null;
};

/** Columns that the intake bounds; the others are read as far as a reader can hold them. */
const COLUMNS = [
  "id",
  "trace_id",
  "parent_id",
  "kind",
  "name",
  "model",
  "prompt",
  "seen_at",
  "start_event",
  "start_producer",
  "start_seq",
  "started_at",
  "end_event",
  "end_producer",
  "end_seq",
  "ended_at",
  "duration_ms",
  "end_status",
] as const;

const columns = sql.join([...COLUMNS, ...CALL_NUMBERS, "hour", "uncached_tokens"].map((name) => sql.ref(name)));

type Reading = {
  readonly projectId: string;
  /** Yields rows of observations. */
  readonly from: RawBuilder<unknown>;
  /** Characters of an error. */
  readonly error: Cut;
  /** The condition under which a step comes with its code. */
  readonly withCode?: RawBuilder<boolean>;
  /** What a reader wants beside the model, as it stands in a select list. */
  readonly beside?: readonly RawBuilder<unknown>[];
  readonly orderBy?: RawBuilder<unknown>;
};

const IS_USED = sql`(step.input_tokens is not null or step.output_tokens is not null or step.reported_cost is not null)`;

/** Prices change by the hour, so that of the calls of one model and hour the price is looked up once. */
export async function readSteps<Beside = unknown>(
  query: Kysely<ObservabilitySchema>,
  { projectId, from, error, withCode = sql`true`, beside = [], orderBy }: Reading,
): Promise<readonly (StepRow & Beside)[]> {
  const all = [columns, sql`${cutText("error", error)} as error`, sql`case when ${withCode} then code end as code`, ...beside];
  const { rows } = await sql<StepRow & Beside>`
    with step as materialized (
      select ${sql.join(all)} from (${from}) as observation
    ), priced as materialized (
      select used.model, used.hour, price.*
      from (select distinct model, hour from step where ${IS_USED}) as used
      cross join lateral ${selectPrice(sql`${projectId}::uuid`, sql`used.model`, sql`used.hour`)} as price
    )
    select step.*,
      case when ${IS_USED} then ${selectCost("step", "price")} end as cost,
      ${statusOfStep(projectId)} as status
    from step left join priced as price on price.model = step.model and price.hour = step.hour
    ${orderBy === undefined ? sql`` : sql`order by ${orderBy}`}`.execute(query);
  return rows;
}

/** A text of up to `whole` characters is given as it is; of a longer one `kept` and an ellipsis. */
type Cut = { readonly whole: number | RawBuilder<number>; readonly kept: number };

export function cutText(column: string, { whole, kept }: Cut): RawBuilder<string | null> {
  const text = sql.ref(column);
  // Bytes are told without unpacking the text.
  return sql<
    string | null
  >`case when octet_length(${text}) <= ${whole} or length(${text}) <= ${whole} then ${text} else left(${text}, ${kept}::int) || '…' end`;
}

export const BY_START = sql`coalesce(started_at, seen_at), id`;

/** Columns that only an event's length bounds. */
type LongColumn = "error" | "code" | "graph_step" | "next";

type First = {
  readonly limit: number;
  /** Columns whose characters are summed over a step and those before it, by the name of the sum. */
  readonly weights: Readonly<Record<string, readonly LongColumn[]>>;
  readonly where?: RawBuilder<boolean>;
};

/** Rows of those steps of a run that began first. */
export function firstSteps(run: Run, { limit, weights, where = sql`true` }: First): RawBuilder<unknown> {
  const lengthOf = (name: LongColumn) =>
    name === "error" ? sql`coalesce(octet_length(error), 0)` : sql`coalesce(length(${sql.ref(name)}::text), 0)`;
  const sums = Object.entries(weights).map(
    ([name, of]) => sql`sum(${sql.join(of.map(lengthOf), sql` + `)}) over (order by ${BY_START})::bigint as ${sql.ref(name)}`,
  );
  return sql`
    select *, ${sql.join(sums)}
    from (select * from observability.observations where ${isOfRun(run)} and ${where} order by ${BY_START} limit ${limit}) as first`;
}

/** A long column as long as the weight that it is a part of is no more than so many characters. */
export function whileLight(column: LongColumn, weight: string, max: number): RawBuilder<unknown> {
  return sql`case when ${sql.ref(weight)} <= ${max} then ${sql.ref(column)} end as ${sql.ref(column)}`;
}

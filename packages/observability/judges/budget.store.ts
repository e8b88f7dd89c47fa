import { sql } from "kysely";
import { selectPrice } from "#prices/select-price.ts";
import type { ModelUsage } from "#models/ask-model.ts";
import type { Query } from "#schema.ts";
import { hasRoleIn, type InProject } from "#store/reader.ts";
import type { RuleRow } from "./rules.store.ts";

/** Dollars of a million tokens. */
export type ModelPrice = Readonly<Record<"input" | "cache_read" | "cache_write" | "output", number>>;

/** The price of a model now, by those of the project. */
export async function findPrice(query: Query, projectId: string, model: string): Promise<ModelPrice | undefined> {
  const { rows } = await sql<ModelPrice>`
    select input, cache_read, cache_write, output from ${selectPrice(sql`${projectId}::uuid`, sql`${model}::text`, sql`now()`)} as price`.execute(
    query,
  );
  return rows[0];
}

/** Dollars of what the server says that it counted. */
export function costOf(price: ModelPrice, { input, output, cacheRead, cacheWrite }: Omit<ModelUsage, "reasoning">): number {
  const uncached = Math.max(input - cacheRead - cacheWrite, 0);
  return (uncached * price.input + cacheRead * price.cache_read + cacheWrite * price.cache_write + output * price.output) / 1e6;
}

const BYTES_OF_TOKEN = 4;
const USUAL_ANSWER_TOKENS = 150;

/** Dollars that so many calls cost about, which have so many bytes together. */
export function aboutCost(price: ModelPrice, { bytes, calls }: { readonly bytes: number; readonly calls: number }): number {
  return costOf(price, { input: bytes / BYTES_OF_TOKEN, output: calls * USUAL_ANSWER_TOKENS, cacheRead: 0, cacheWrite: 0 });
}

/** Of the provider's own words around a prompt, as it asks for the structure with. */
const UNSEEN_TOKENS = 1_000;

/** Dollars that a call costs at the most: no tokenizer makes more tokens of a text than it has bytes. */
export function mostOf(price: ModelPrice, { texts, maxTokens }: { readonly texts: readonly string[]; readonly maxTokens: number }): number {
  const tokens = texts.reduce((sum, text) => sum + Buffer.byteLength(text), UNSEEN_TOKENS);
  return (tokens * Math.max(price.input, price.cache_write, price.cache_read) + maxTokens * price.output) / 1e6;
}

/** Days are counted from it: how a date is written depends on settings, so Citus does not give it back. */
const EPOCH = sql`date '1970-01-01'`;

export type Reservation = { readonly projectId: string; readonly ruleId: string; readonly day: number; readonly dollars: number };

/** A rule; or whatever else has a budget a day, under an id of its own. */
type Spender = Pick<RuleRow, "id" | "project_id" | "kind" | "created_at" | "budget">;

/** All that is of a past or an experiment is of the day on which it was made; what is live, of today. */
const dayOf = ({ kind, created_at: at }: Spender) =>
  sql<string>`(${kind === "live" ? sql`now()` : sql`${at}::timestamptz`} at time zone 'UTC')::date`;

/** Sets money aside in one statement, so that replicas together never exceed the budget. @returns undefined when it is not enough. */
export async function reserve(query: Query, rule: Spender, dollars: number): Promise<Reservation | undefined> {
  const most = rule.budget ?? Infinity;
  if (dollars > most) {
    return undefined;
  }
  const { rows } = await sql<{ day: number }>`
    insert into observability.judge_spending as spent (project_id, rule_id, day, dollars)
    values (${rule.project_id}::uuid, ${rule.id}::uuid, ${dayOf(rule)}, ${dollars}::double precision)
    on conflict (project_id, rule_id, day) do update set dollars = spent.dollars + excluded.dollars where spent.dollars + excluded.dollars <= ${most}::double precision
    returning day - ${EPOCH} as day`.execute(query);
  return rows[0] && { projectId: rule.project_id, ruleId: rule.id, day: rows[0].day, dollars };
}

/** Puts what a call has cost in the place of what was set aside for it. */
export async function settleSpending(query: Query, { projectId, ruleId, day, dollars }: Reservation, cost: number): Promise<void> {
  await sql`
    update observability.judge_spending set dollars = dollars + ${cost - dollars}::double precision
    where project_id = ${projectId}::uuid and rule_id = ${ruleId}::uuid and day = ${EPOCH} + ${day}::int`.execute(query);
}

/** By rule, the dollars of today, and those of all days. */
export async function readSpending(
  query: Query,
  { projectId, reader }: InProject,
): Promise<ReadonlyMap<string, { readonly today: number; readonly all: number }>> {
  const { rows } = await sql<{ rule_id: string; today: number; all: number }>`
    select rule_id, coalesce(sum(dollars) filter (where day = (now() at time zone 'UTC')::date), 0) as today, sum(dollars) as all
    from observability.judge_spending where project_id = ${projectId}::uuid and ${hasRoleIn(reader, "viewer", projectId)} group by rule_id`.execute(
    query,
  );
  return new Map(rows.map((row) => [row.rule_id, row]));
}

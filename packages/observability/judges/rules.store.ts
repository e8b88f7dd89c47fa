import { sql, type Selectable } from "kysely";
import { MAX_RULES_OF_EVALUATOR } from "#contract.ts";
import type { ObservabilitySchema, Query } from "#schema.ts";
import { hasRoleIn, type InProject } from "#store/reader.ts";

export type RuleRow = Selectable<ObservabilitySchema["observability.judge_rules"]>;
type OfEvaluator = InProject & { readonly evaluatorId: string };
export type OneRule = OfEvaluator & { readonly ruleId: string };

/** Newest first. */
export async function listRules(query: Query, { projectId, reader, evaluatorId }: OfEvaluator): Promise<readonly RuleRow[]> {
  return visible(query, { projectId, reader })
    .where("rule.evaluator_id", "=", evaluatorId)
    .orderBy("rule.created_at", "desc")
    .limit(MAX_RULES_OF_EVALUATOR)
    .execute();
}

export async function findRule(query: Query, { projectId, reader, evaluatorId, ruleId }: OneRule): Promise<RuleRow | undefined> {
  return visible(query, { projectId, reader })
    .where("rule.evaluator_id", "=", evaluatorId)
    .where("rule.id", "=", ruleId)
    .executeTakeFirst();
}

/** Those that choose among live traces. */
export async function listLiveRules(query: Query, projectId: string): Promise<readonly RuleRow[]> {
  return visible(query, { projectId, reader: { kind: "operator" } })
    .where("rule.kind", "=", "live")
    .where("rule.is_active", "=", true)
    .orderBy("rule.id")
    .execute();
}

type NewRule = OneRule &
  Pick<RuleRow, "kind" | "q" | "experiment_id" | "baseline_id" | "sampling" | "budget"> & { readonly author: string };

/** @returns false when the reader may not, or the evaluator has {@link MAX_RULES_OF_EVALUATOR}. */
export async function insertRule(transaction: Query, { projectId, reader, evaluatorId, ruleId, ...rule }: NewRule): Promise<boolean> {
  // Not `returning`, which Citus can't read back here.
  const { numAffectedRows = 0n } = await sql`
    insert into observability.judge_rules (id, project_id, evaluator_id, kind, q, experiment_id, baseline_id, sampling, budget, created_by)
    select ${ruleId}::uuid, ${projectId}::uuid, evaluator.id, ${rule.kind}::text, ${rule.q}::text, ${rule.experiment_id}::uuid,
      ${rule.baseline_id}::uuid,      ${rule.sampling}::double precision, ${rule.budget}::double precision, ${rule.author}::text
    from observability.evaluators as evaluator
    where evaluator.project_id = ${projectId}::uuid and evaluator.id = ${evaluatorId}::uuid and ${hasRoleIn(reader, "editor", projectId)}
      and (select count(*) from observability.judge_rules where evaluator_id = ${evaluatorId}::uuid) < ${MAX_RULES_OF_EVALUATOR}`.execute(
    transaction,
  );
  await noteLiveRules(transaction, projectId);
  return numAffectedRows > 0n;
}

type RuleChange = { readonly is_active: boolean; readonly budget?: number | null | undefined };

export async function changeRule(
  transaction: Query,
  { projectId, reader, evaluatorId, ruleId }: OneRule,
  change: RuleChange,
): Promise<boolean> {
  const { is_active: isActive, budget } = change;
  const { numUpdatedRows } = await transaction
    .updateTable("observability.judge_rules as rule")
    .set({ is_active: isActive, problem: null, problem_since: null, retry_at: null, ...(budget === undefined ? {} : { budget }) })
    .where("rule.project_id", "=", projectId)
    .where("rule.evaluator_id", "=", evaluatorId)
    .where("rule.id", "=", ruleId)
    .where(hasRoleIn(reader, "editor", projectId))
    .executeTakeFirstOrThrow();
  await noteLiveRules(transaction, projectId);
  return numUpdatedRows > 0n;
}

/**
 * Writes why a live rule's query can't be answered, or that it is answered again. After a day without an answer the rule is switched off: what it has
 * not looked at grows with the traffic.
 */
export async function noteProblem(
  transaction: Query,
  { project_id: projectId, id }: RuleRow,
  problem: string | null,
  retryAt: Date | null,
): Promise<void> {
  const since = sql`case when ${problem}::text is not null then coalesce(problem_since, now()) end`;
  const { rows } = await sql<{ is_active: boolean }>`
    update observability.judge_rules set problem = ${problem}::text, retry_at = ${retryAt}::timestamptz, problem_since = ${since},
      is_active = is_active and (${since} < now() - interval '1 day') is not true
    where project_id = ${projectId}::uuid and id = ${id}::uuid returning is_active`.execute(transaction);
  // Only then: whoever changes another rule waits for the project with that rule locked, which is the next one here.
  if (rows[0]?.is_active === false) {
    await noteLiveRules(transaction, projectId);
  }
}

/** By live rule, how many traces it has yet to look at, beside those that nobody has. */
export async function countUndecided(query: Query, { projectId, reader }: InProject): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ rule_id: string; count: number }>`
    select rule_id, count(*)::int as count from observability.judge_marks
    where project_id = ${projectId}::uuid and rule_id is not null and ${hasRoleIn(reader, "viewer", projectId)} group by rule_id`.execute(
    query,
  );
  return new Map(rows.map(({ rule_id: id, count }) => [id, count]));
}

/** Tells those who count traces whether there is anybody to mark them for. */
export async function noteLiveRules(transaction: Query, projectId: string): Promise<void> {
  // Of two changes at once the second one sees the first.
  await transaction.selectFrom("observability.projects").select("id").where("id", "=", projectId).forUpdate().execute();
  const { rows } = await sql<{ there: boolean }>`
    select exists (select from observability.judge_rules where project_id = ${projectId}::uuid and kind = 'live' and is_active) as there`.execute(
    transaction,
  );
  const there = rows[0]?.there ?? false;
  await transaction
    .updateTable("observability.projects")
    .set({ has_judges: there })
    .where("id", "=", projectId)
    .where("has_judges", "<>", there)
    .execute();
}

function visible(query: Query, { projectId, reader }: InProject) {
  return query
    .selectFrom("observability.judge_rules as rule")
    .selectAll("rule")
    .where("rule.project_id", "=", projectId)
    .where(hasRoleIn(reader, "viewer", projectId));
}

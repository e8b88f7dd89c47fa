import { sql, type Selectable } from "kysely";
import type { ObservabilitySchema, Query } from "#schema.ts";
import { hasRole, hasRoleIn, type Reader, type OneInProject, type InProject } from "#store/reader.ts";

type Row = Selectable<ObservabilitySchema["observability.alert_rules"]>;

export type AlertRuleRow = Omit<Row, "claim" | "claimed_at" | "changed_by" | "belows">;
export type AlertRuleFields = Pick<Row, "name" | "metric" | "threshold" | "window_minutes" | "filter" | "channel_ids" | "is_enabled">;

/** The most rules of a project. */
export const MAX_RULES = 100;

const COLUMNS = [
  "rule.id",
  "rule.project_id",
  "rule.name",
  "rule.metric",
  "rule.threshold",
  "rule.window_minutes",
  "rule.filter",
  "rule.channel_ids",
  "rule.is_enabled",
  "rule.changed_at",
  "rule.is_firing",
  "rule.since",
  "rule.last_value",
  "rule.evaluated_at",
  "rule.problem",
] as const;

/** Lists the rules by name. */
export async function listAlertRules(query: Query, { projectId, reader }: InProject): Promise<readonly AlertRuleRow[]> {
  return visible(query, reader).where("rule.project_id", "=", projectId).orderBy("rule.name").orderBy("rule.id").limit(MAX_RULES).execute();
}

export async function findAlertRule(query: Query, { projectId, reader, id }: OneInProject): Promise<AlertRuleRow | undefined> {
  return visible(query, reader).where("rule.project_id", "=", projectId).where("rule.id", "=", id).executeTakeFirst();
}

/** @returns false when the project has as many rules as it may, or the reader may not make any. */
export async function insertAlertRule(
  query: Query,
  { projectId, reader, id, author, ...fields }: AlertRuleFields & OneInProject & { readonly author: string },
): Promise<boolean> {
  const { rows } = await sql`
    insert into observability.alert_rules as rule
      (id, project_id, name, metric, threshold, window_minutes, filter, channel_ids, is_enabled, changed_by)
    select ${id}::uuid, project.id, ${fields.name}::text, ${fields.metric}::text, ${fields.threshold}::double precision,
      ${fields.window_minutes}::integer, ${JSON.stringify(fields.filter)}::jsonb, ${fields.channel_ids}::uuid[],
      ${fields.is_enabled}::boolean, ${author}::text
    from observability.projects as project
    where project.id = ${projectId}::uuid and ${hasRole(reader, "editor")}
      and (select count(*) from observability.alert_rules where project_id = project.id) < ${MAX_RULES}
    returning rule.id`.execute(query);
  return rows.length > 0;
}

/**
 * Changes a rule, which is then evaluated at once. A rule that is switched off no longer fires, and no message says so.
 * Undefined fields stay.
 */
export async function changeAlertRule(
  query: Query,
  { projectId, reader, id, author }: OneInProject & { readonly author: string },
  { filter, ...change }: Partial<AlertRuleFields>,
): Promise<boolean> {
  const { numUpdatedRows } = await query
    .updateTable("observability.alert_rules as rule")
    .set({
      ...change,
      ...(filter === undefined ? {} : { filter: sql`${JSON.stringify(filter)}::jsonb` }),
      ...(change.is_enabled === false ? { is_firing: false, since: null, last_value: null, evaluated_at: null, problem: null } : {}),
      changed_by: author,
      changed_at: sql<Date>`now()`,
      belows: 0,
      claim: null,
      claimed_at: null,
    })
    .where("rule.project_id", "=", projectId)
    .where("rule.id", "=", id)
    .where(hasRoleIn(reader, "editor", projectId))
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

export async function deleteAlertRule(query: Query, { projectId, reader, id }: OneInProject): Promise<boolean> {
  const { numDeletedRows } = await query
    .deleteFrom("observability.alert_rules as rule")
    .where("rule.project_id", "=", projectId)
    .where("rule.id", "=", id)
    .where(hasRoleIn(reader, "editor", projectId))
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

function visible(query: Query, reader: Reader) {
  return query
    .selectFrom("observability.alert_rules as rule")
    .innerJoin("observability.projects as project", "project.id", "rule.project_id")
    .where(hasRole(reader, "viewer"))
    .select(COLUMNS);
}

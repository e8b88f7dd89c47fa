import { sql } from "kysely";
import type { MaskingRules } from "#contract.ts";
import type { Query } from "#schema.ts";
import { hasRole, type InProject } from "./reader.ts";

export type MaskingRow = MaskingRules & { readonly changed_at: Date | null; readonly changed_by: string | null };

/** `undefined` when the reader does not own such a project. */
export async function findMasking(query: Query, { projectId, reader }: InProject): Promise<MaskingRow | undefined> {
  const row = await query
    .selectFrom("observability.projects as project")
    .leftJoin("observability.masking as masking", "masking.project_id", "project.id")
    .select(["masking.keys", "masking.patterns", "masking.changed_at", "masking.changed_by"])
    .where("project.id", "=", projectId)
    .where(hasRole(reader, "owner"))
    .executeTakeFirst();
  return row && { ...row, keys: row.keys ?? [], patterns: row.patterns ?? [] };
}

/** @returns whether the reader owns such a project. */
export async function putMasking(
  query: Query,
  wanted: InProject & { readonly rules: MaskingRules; readonly by: string; readonly at: Date },
): Promise<boolean> {
  const { projectId, reader, rules, by, at } = wanted;
  const { rows } = await sql`
    insert into observability.masking (project_id, keys, patterns, changed_at, changed_by)
    select project.id, ${rules.keys}::text[], ${JSON.stringify(rules.patterns)}::jsonb, ${at}::timestamptz, ${by}::text
    from observability.projects as project
    where project.id = ${projectId}::uuid and ${hasRole(reader, "owner")}
    on conflict (project_id) do update
      set keys = excluded.keys, patterns = excluded.patterns, changed_at = excluded.changed_at, changed_by = excluded.changed_by
    returning project_id`.execute(query);
  return rows.length > 0;
}

/** Finds the rules of those projects that have any, for the consumer. */
export async function findMaskingRules(
  query: Query,
  projectIds: readonly string[],
): Promise<readonly (MaskingRules & { readonly project_id: string })[]> {
  return query
    .selectFrom("observability.masking")
    .select(["project_id", "keys", "patterns"])
    .where("project_id", "=", sql<string>`any(${projectIds}::uuid[])`)
    .execute();
}

import { sql, type Selectable } from "kysely";
import type { ObservabilitySchema, Query } from "#schema.ts";
import { MAX_SCORE_CONFIGS } from "#contract.ts";
import { hasRole, hasRoleIn, type InProject } from "./reader.ts";

export type ScoreConfigRow = Omit<Selectable<ObservabilitySchema["observability.score_configs"]>, "project_id">;

/** By name; of one name where it is given. */
export async function listScoreConfigs(
  query: Query,
  { projectId, reader, name }: InProject & { readonly name?: string },
): Promise<readonly ScoreConfigRow[]> {
  const rows = query
    .selectFrom("observability.score_configs as config")
    .select([
      "config.name",
      "config.data_type",
      "config.direction",
      "config.minimum",
      "config.maximum",
      "config.categories",
      "config.target",
      "config.changed_at",
      "config.changed_by",
    ])
    .where("config.project_id", "=", projectId)
    .where(hasRoleIn(reader, "viewer", projectId))
    .orderBy("config.name");
  return (name === undefined ? rows : rows.where("config.name", "=", name)).execute();
}

/** @returns false when the project has as many as it may. */
export async function putScoreConfig(query: Query, { projectId, reader, ...row }: ScoreConfigRow & InProject): Promise<boolean> {
  const { rows } = await sql`
    insert into observability.score_configs as config (
      project_id, name, data_type, direction, minimum, maximum, categories, target, changed_at, changed_by
    )
    select project.id, ${row.name}::text, ${row.data_type}::text, ${row.direction}::text, ${row.minimum}::double precision,
      ${row.maximum}::double precision, ${row.categories}::text[], ${row.target}::double precision, ${row.changed_at}::timestamptz, ${row.changed_by}::text
    from observability.projects as project
    where project.id = ${projectId}::uuid and ${hasRole(reader, "owner")} and (
      select count(*) from observability.score_configs as other where other.project_id = ${projectId}::uuid and other.name <> ${row.name}::text
    ) < ${MAX_SCORE_CONFIGS}
    on conflict (project_id, name) do update set data_type = excluded.data_type, direction = excluded.direction, minimum = excluded.minimum,
      maximum = excluded.maximum, categories = excluded.categories, target = excluded.target, changed_at = excluded.changed_at,
      changed_by = excluded.changed_by
    returning config.name`.execute(query);
  return rows.length > 0;
}

/** @returns whether there was one. */
export async function deleteScoreConfig(
  query: Query,
  { projectId, reader, name }: InProject & { readonly name: string },
): Promise<boolean> {
  const deleted = await query
    .deleteFrom("observability.score_configs as config")
    .where("config.project_id", "=", projectId)
    .where("config.name", "=", name)
    .where(hasRoleIn(reader, "owner", projectId))
    .executeTakeFirst();
  return deleted.numDeletedRows > 0n;
}

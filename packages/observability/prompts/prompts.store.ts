import { likeBeginning } from "@sightline/foundation/patterns";
import { sql, type Selectable } from "kysely";
import { MAX_PROMPTS } from "#contract.ts";
import type { ObservabilitySchema, Query } from "#schema.ts";
import { hasRoleIn, type InProject, type OneInProject } from "#store/reader.ts";

export type PromptRow = Omit<Selectable<ObservabilitySchema["observability.prompts"]>, "project_id"> & {
  readonly labels: Readonly<Record<string, number>>;
};

type Page = {
  readonly name: string | undefined;
  readonly prefix: string | undefined;
  readonly after: string | undefined;
  readonly limit: number;
};

/** By name. */
export async function listPrompts(
  query: Query,
  { name, prefix, after, limit, ...project }: InProject & Page,
): Promise<readonly PromptRow[]> {
  let rows = visible(query, project);
  if (name !== undefined) {
    rows = rows.where("prompt.name", "=", name);
  }
  if (prefix !== undefined) {
    rows = rows.where("prompt.name", "like", likeBeginning(prefix));
  }
  if (after !== undefined) {
    rows = rows.where(sql<boolean>`prompt.name collate "C" > ${after}`);
  }
  return rows
    .orderBy(sql`prompt.name collate "C"`)
    .limit(limit)
    .execute();
}

export async function findPrompt(query: Query, { id, ...project }: OneInProject): Promise<PromptRow | undefined> {
  return visible(query, project).where("prompt.id", "=", id).executeTakeFirst();
}

type Making = InProject & { readonly name: string; readonly newId: string; readonly author: string; readonly now: Date };

/** The prompt of a name, made where there is none, and held until the transaction ends; undefined when there are {@link MAX_PROMPTS}. */
export async function holdPrompt(
  transaction: Query,
  { projectId, reader, name, newId, author, now }: Making,
): Promise<{ readonly id: string; readonly version: number } | undefined> {
  await sql`
    insert into observability.prompts (project_id, id, name, created_by, created_at, changed_at)
    select ${projectId}::uuid, ${newId}::uuid, ${name}::text, ${author}::text, ${now}::timestamptz, ${now}::timestamptz
    where ${hasRoleIn(reader, "editor", projectId)}
      and (select count(*) from observability.prompts where project_id = ${projectId}) < ${MAX_PROMPTS}
    on conflict (project_id, name) do nothing`.execute(transaction);
  return held(transaction, { projectId, reader }).where("prompt.name", "=", name).executeTakeFirst();
}

/** Template and config are JSON texts. */
type Told = { readonly projectId: string; readonly promptId: string; readonly template: string; readonly config: string };

/** The first of the versions that says the same, written in the same way. */
export async function findSameVersion(
  transaction: Query,
  { projectId, promptId, template, config, among }: Told & { readonly among: readonly number[] },
): Promise<number | undefined> {
  const same = await transaction
    .selectFrom("observability.prompt_versions")
    .select("version")
    .where("project_id", "=", projectId)
    .where("prompt_id", "=", promptId)
    .where("version", "in", among)
    .where(sql<boolean>`template::text = ${template} and config::text = ${config}`)
    .orderBy("version")
    .executeTakeFirst();
  return same?.version;
}

type NewVersion = Told & { readonly version: number; readonly author: string; readonly reason: string; readonly now: Date };

/** To be called by who holds the prompt. */
export async function insertVersion(transaction: Query, { projectId, promptId, now, ...version }: NewVersion): Promise<void> {
  await transaction
    .insertInto("observability.prompt_versions")
    .values({ project_id: projectId, prompt_id: promptId, made_at: now, ...version })
    .execute();
  await transaction
    .updateTable("observability.prompts")
    .set({ version: version.version, changed_at: now })
    .where("project_id", "=", projectId)
    .where("id", "=", promptId)
    .execute();
}

export type LabelChange = {
  readonly projectId: string;
  readonly promptId: string;
  readonly label: string;
  /** Null takes it away. */
  readonly version: number | null;
  readonly author: string;
  readonly now: Date;
};

/** To be called by who holds the prompt. */
export async function writeLabel(transaction: Query, { projectId, promptId, label, version, author, now }: LabelChange): Promise<void> {
  if (version === null) {
    await transaction
      .deleteFrom("observability.prompt_labels")
      .where("project_id", "=", projectId)
      .where("prompt_id", "=", promptId)
      .where("label", "=", label)
      .execute();
    return;
  }
  const changed = { version, changed_by: author, changed_at: now };
  await transaction
    .insertInto("observability.prompt_labels")
    .values({ project_id: projectId, prompt_id: promptId, label, ...changed })
    .onConflict((conflict) => conflict.columns(["project_id", "prompt_id", "label"]).doUpdateSet(changed))
    .execute();
}

/** The prompt, held until the transaction ends. */
export async function holdPromptOfId(
  transaction: Query,
  { id, ...project }: OneInProject,
): Promise<{ readonly id: string; readonly version: number } | undefined> {
  return held(transaction, project).where("prompt.id", "=", id).executeTakeFirst();
}

/** To be called by who holds the prompt. */
export async function deletePrompt(
  transaction: Query,
  { projectId, id }: { readonly projectId: string; readonly id: string },
): Promise<void> {
  for (const table of ["prompt_versions", "prompt_labels"] as const) {
    await transaction.deleteFrom(`observability.${table}`).where("project_id", "=", projectId).where("prompt_id", "=", id).execute();
  }
  await transaction.deleteFrom("observability.prompts").where("project_id", "=", projectId).where("id", "=", id).execute();
}

function held(transaction: Query, { projectId, reader }: InProject) {
  return transaction
    .selectFrom("observability.prompts as prompt")
    .select(["prompt.id", "prompt.version"])
    .where("prompt.project_id", "=", projectId)
    .where(hasRoleIn(reader, "editor", projectId))
    .forUpdate();
}

function visible(query: Query, { projectId, reader }: InProject) {
  return query
    .selectFrom("observability.prompts as prompt")
    .select(["prompt.id", "prompt.name", "prompt.version", "prompt.created_by", "prompt.created_at", "prompt.changed_at"])
    .select(
      sql<Readonly<Record<string, number>>>`coalesce((
        select json_object_agg(label.label, label.version order by label.label) from observability.prompt_labels as label
        where label.project_id = prompt.project_id and label.prompt_id = prompt.id
      ), '{}')`.as("labels"),
    )
    .where("prompt.project_id", "=", projectId)
    .where(hasRoleIn(reader, "viewer", projectId));
}

import type { Selectable } from "kysely";
import type { ObservabilitySchema, Query } from "#schema.ts";
import { hasRoleIn, type InProject } from "#store/reader.ts";

export type VersionRow = Omit<Selectable<ObservabilitySchema["observability.prompt_versions"]>, "project_id" | "prompt_id">;
type OfPrompt = InProject & { readonly promptId: string };

export async function findVersion(
  query: Query,
  { version, ...prompt }: OfPrompt & { readonly version: number },
): Promise<VersionRow | undefined> {
  return versions(query, prompt).select(["version.template", "version.config"]).where("version.version", "=", version).executeTakeFirst();
}

/** Newest first, without what they say. */
export async function listVersions(query: Query, prompt: OfPrompt): Promise<readonly Omit<VersionRow, "template" | "config">[]> {
  return versions(query, prompt).orderBy("version.version", "desc").execute();
}

/** By the order in which they were made, some characters of them at a time. */
export async function listWholeVersions(
  query: Query,
  { after, limit, ...prompt }: OfPrompt & { readonly after: number; readonly limit: number },
): Promise<readonly VersionRow[]> {
  return versions(query, prompt)
    .select(["version.template", "version.config"])
    .where("version.version", ">", after)
    .orderBy("version.version")
    .limit(limit)
    .execute();
}

function versions(query: Query, { projectId, reader, promptId }: OfPrompt) {
  return query
    .selectFrom("observability.prompt_versions as version")
    .select(["version.version", "version.author", "version.reason", "version.made_at"])
    .where("version.project_id", "=", projectId)
    .where("version.prompt_id", "=", promptId)
    .where(hasRoleIn(reader, "viewer", projectId));
}

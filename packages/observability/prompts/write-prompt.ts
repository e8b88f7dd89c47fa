import { orRefuse, refusal } from "@sightline/foundation/errors";
import { v7 as uuidv7 } from "uuid";
import type { z } from "zod";
import { MAX_PROMPT_CHARACTERS, MAX_PROMPT_VERSIONS, PRODUCTION, type writePromptRequestSchema } from "#contract.ts";
import { roleMissing } from "#query/access/not-found.errors.ts";
import type { Query } from "#schema.ts";
import { hasProjectRole, type InProject } from "#store/reader.ts";
import { productionClosed, promptVersionNotFound, tooManyPrompts, tooManyVersions } from "./prompts.errors.ts";
import { holdPrompt, insertVersion, findSameVersion, writeLabel } from "./prompts.store.ts";

type Given = z.infer<typeof writePromptRequestSchema> & {
  /** The number that it had where it comes from: a version of that number that is the same already is not made again. */
  readonly version?: number | undefined;
};
type Writing = InProject & { readonly author: string; readonly now: Date };
export type Written = { readonly promptId: string; readonly version: number; readonly isNew: boolean };

/**
 * Makes the next version of a prompt, unless the newest is the same already, and moves labels to it.
 *
 * @throws {AppError} 400 `prompt_too_long`, 403 as {@link requireLabels} does, 409 `too_many_prompts`, `too_many_versions`.
 */
export async function writePrompt(query: Query, writing: Writing, given: Given): Promise<Written> {
  await requireLabels(query, writing, given.labels);
  return query.transaction().execute((transaction) => writeVersion(transaction, writing, given));
}

/** Does the same in a transaction, for whoever has settled that the labels may be moved. */
export async function writeVersion(transaction: Query, writing: Writing, given: Given): Promise<Written> {
  const [template, config] = [JSON.stringify(given.template), JSON.stringify(given.config)];
  if (template.length + config.length > MAX_PROMPT_CHARACTERS) {
    throw refusal(400, "prompt_too_long", `${given.name} is longer than ${MAX_PROMPT_CHARACTERS} characters as JSON. Shorten it.`);
  }
  const { projectId, author, now } = writing;
  const prompt = orRefuse(await holdPrompt(transaction, { ...writing, name: given.name, newId: uuidv7() }), tooManyPrompts);
  const promptId = prompt.id;
  const told = { projectId, promptId, template, config };
  const same = await findSameVersion(transaction, { ...told, among: [prompt.version, given.version ?? prompt.version] });
  if (same === undefined && prompt.version >= MAX_PROMPT_VERSIONS) {
    throw tooManyVersions();
  }
  const version = same ?? prompt.version + 1;
  if (same === undefined) {
    await insertVersion(transaction, { ...told, version, author, reason: given.reason, now });
  }
  for (const label of given.labels) {
    await writeLabel(transaction, { projectId, promptId, label, version, author, now });
  }
  return { promptId, version, isNew: same === undefined };
}

/** `production` says what customers get. @throws {AppError} 403 `scope_missing`, `role_missing`. */
export async function requireLabels(query: Query, { projectId, reader }: InProject, labels: readonly string[]): Promise<void> {
  if (!labels.includes(PRODUCTION)) {
    return;
  }
  if (reader.kind === "project-key") {
    if (!reader.canRelease) {
      throw productionClosed();
    }
  } else if (!(await hasProjectRole(query, { id: projectId, reader, role: "owner" }))) {
    throw roleMissing("owner");
  }
}

/** @throws {AppError} 404 `version_not_found`. */
export function requireVersion(version: number, newest: number): void {
  if (version > newest) {
    throw promptVersionNotFound(newest);
  }
}

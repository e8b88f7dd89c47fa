import { refusal } from "@sightline/foundation/errors";
import { MAX_PROMPT_VERSIONS, MAX_PROMPTS } from "#contract.ts";

export const promptNotFound = () =>
  refusal(404, "prompt_not_found", "There is no such prompt; GET /api/v1/projects/:project_id/prompts lists them.");

export const promptVersionNotFound = (newest: number) => refusal(404, "version_not_found", `The prompt has versions 1 to ${newest}.`);

export const labelNotFound = (name: string, label: string) =>
  refusal(404, "label_not_found", `No version of ${name} has the label ${label}. Set it, or ask for another label or for a version.`);

export const labelMoved = (label: string, version: number | null) =>
  refusal(
    409,
    "label_moved",
    `${label} means ${version === null ? "no version" : `version ${version}`} meanwhile. Read it again, and then decide.`,
  );

export const tooManyPrompts = () => refusal(409, "too_many_prompts", `A project has at most ${MAX_PROMPTS} prompts. Delete some.`);

export const tooManyVersions = () =>
  refusal(409, "too_many_versions", `A prompt has at most ${MAX_PROMPT_VERSIONS} versions. Go on under another name.`);

export const promptInUse = (name: string) =>
  refusal(409, "prompt_in_use", `${name} has the label production, so applications may read it. An owner removes the label first.`);

export const productionClosed = () =>
  refusal(403, "scope_missing", "This API key lacks the scope production, without which it does not move the label production.");

import { type AppError, refusal } from "@sightline/foundation/errors";
import type { VisibleProject } from "./visible-projects.store.ts";
import { recordedLine } from "./recorded-text.ts";

const NAMED = 20;

export const noAccount = () =>
  refusal(
    403,
    "account_gone",
    "Whoever made this token has no account here any more, so it opens no traces; ask an admin for a token of another.",
  );

export function unknownProject(requested: string, visible: readonly VisibleProject[]): AppError {
  return notOneProject("project_not_found", `There is no project ${recordedLine(requested, 200)} that this token may see`, visible);
}

export function ambiguousProject(requested: string, visible: readonly VisibleProject[]): AppError {
  return notOneProject("project_ambiguous", `Several projects are named ${recordedLine(requested, 200)}; name one by its id`, visible);
}

export function projectMissing(visible: readonly VisibleProject[]): AppError {
  return notOneProject("project_missing", "Name a project", visible);
}

function notOneProject(code: string, problem: string, visible: readonly VisibleProject[]): AppError {
  const names = visible.slice(0, NAMED).map(({ id, name }) => `${recordedLine(name, 100)} (${id})`);
  const more = visible.length > NAMED ? ` and ${visible.length - NAMED} more` : "";
  return refusal(404, code, `${problem}; it may see: ${names.length === 0 ? "none yet" : names.join(", ")}${more}.`);
}

export const traceUnknown = () =>
  refusal(
    404,
    "trace_not_found",
    "There is no trace of that id that this token may see; list_traces names them. One that has just run may take a moment to arrive.",
  );
export const stepUnknown = (requested: string) =>
  refusal(
    404,
    "observation_not_found",
    `The trace has no step ${recordedLine(requested, 100)}; get_trace names them, by the last digits of their ids.`,
  );
export const stepAmbiguous = (requested: string) =>
  refusal(409, "observation_ambiguous", `Several steps end in ${requested}; name more digits of the id.`);

export function unknownDataset(requested: string, known: readonly { readonly id: string; readonly name: string }[]): AppError {
  const names = known.map(({ name }) => recordedLine(name, 100)).join(", ") || "none yet";
  return refusal(404, "dataset_not_found", `The project has no dataset ${recordedLine(requested, 200)}; it has: ${names}.`);
}

export const issueUnknown = () =>
  refusal(404, "issue_not_found", "The project has no such issue, or it was merged or has no trace any more; list_issues names them.");

export const itemUnclear = () =>
  refusal(400, "invalid_request", "Name either a trace, or the input of an item of your own; step and issue go with a trace.");

import { type AppError, refusal } from "@sightline/foundation/errors";
import type { ProjectRole } from "#contract.ts";

/** The answer is the same whether the project doesn't exist, belongs to another tenant, or to members only. */
export const projectNotFound = () => refusal(404, "project_not_found", "There is no project of that id; GET /api/v1/projects lists yours.");

export function roleMissing(role: ProjectRole): AppError {
  const article = role === "viewer" ? "a" : "an";
  return refusal(
    403,
    "role_missing",
    `Only ${article} ${role} of this project may do this. Ask one of its owners, or an admin of your organization, to make you one.`,
    { details: [{ path: "role", message: role }] },
  );
}

export const traceNotFound = () =>
  refusal(404, "trace_not_found", "There is no trace of that id in your projects; one that has just run may take a moment to arrive.");
export const sessionNotFound = () =>
  refusal(404, "session_not_found", "The project has no traces of a session of that id; GET …/sessions lists those it has.");
export const userNotFound = () =>
  refusal(404, "user_not_found", "The project has no traces for a user of that id; GET …/users lists those it has.");
export const observationNotFound = () =>
  refusal(404, "observation_not_found", "There is no step of that id in the trace; GET …/traces/:trace_id/steps lists them.");
export const payloadNotFound = () =>
  refusal(
    404,
    "payload_not_found",
    "There is no such part of a payload in the trace; payload_id and part are those of a value that says it is truncated.",
  );
export const staleCursor = () =>
  refusal(400, "invalid_cursor", "The step after which this page begins is not in the trace; start again without the cursor.");

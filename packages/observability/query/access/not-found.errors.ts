import { AppError } from "@sightline/foundation/errors";
import type { ProjectRole } from "#contract.ts";

/** The answer is the same whether the project doesn't exist, belongs to another tenant, or to members only. */
export function projectNotFound(): AppError {
  return new AppError({
    code: "project_not_found",
    status: 404,
    message: "There is no project of that id; GET /api/v1/projects lists yours.",
  });
}

export function roleMissing(role: ProjectRole): AppError {
  const article = role === "viewer" ? "a" : "an";
  return new AppError({
    code: "role_missing",
    status: 403,
    message: `Only ${article} ${role} of this project may do this. Ask one of its owners, or an admin of your organisation, to make you one.`,
    details: [{ path: "role", message: role }],
  });
}

export function traceNotFound(): AppError {
  return new AppError({
    code: "trace_not_found",
    status: 404,
    message: "There is no trace of that id in your projects; one that has just run may take a moment to arrive.",
  });
}

export function observationNotFound(): AppError {
  return new AppError({
    code: "observation_not_found",
    status: 404,
    message: "There is no step of that id in the trace; GET …/traces/:trace_id/steps lists them.",
  });
}

export function payloadNotFound(): AppError {
  return new AppError({
    code: "payload_not_found",
    status: 404,
    message: "There is no such part of a payload in the trace; payload_id and part are those of a value that says it is truncated.",
  });
}

export function staleCursor(): AppError {
  return new AppError({
    code: "invalid_cursor",
    status: 400,
    message: "The step after which this page begins is not in the trace; start again without the cursor.",
  });
}

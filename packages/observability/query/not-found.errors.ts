import { AppError } from "@sightline/foundation/errors";

/** The same whether it doesn't exist or belongs to another tenant. */
export function projectNotFound(): AppError {
  return new AppError({
    code: "project_not_found",
    status: 404,
    message: "There is no project of that id; GET /api/v1/projects lists yours.",
  });
}

export function traceNotFound(): AppError {
  return new AppError({
    code: "trace_not_found",
    status: 404,
    message: "There is no trace of that id in your projects; one that has just run may take a moment to arrive.",
  });
}

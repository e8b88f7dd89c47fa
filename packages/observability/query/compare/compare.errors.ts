import { AppError } from "@sightline/foundation/errors";

/** The same whether it doesn't exist or may not be seen. */
export function comparedTraceNotFound(side: "a" | "b"): AppError {
  return new AppError({
    code: "trace_not_found",
    status: 404,
    message: `The project has no trace of the id that ${side} names; one that has just run may take a moment to arrive.`,
    details: [{ path: side, message: "unknown trace" }],
  });
}

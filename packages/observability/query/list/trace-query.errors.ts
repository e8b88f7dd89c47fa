import { AppError } from "@sightline/foundation/errors";
import type { TraceQueryError } from "#contract.ts";

/** Each place as `q[from..to]`, in characters. */
export function invalidQuery(errors: readonly TraceQueryError[]): AppError {
  return new AppError({
    code: "invalid_query",
    status: 400,
    message: `The query cannot be read: ${errors[0]?.message ?? ""}`,
    details: errors.map(({ from, to, message }) => ({ path: `q[${from}..${to}]`, message })),
  });
}

/** What a search that ended at its time limit (`57014`) is answered with; any other error as it is. */
export function orBeingCounted(error: unknown): unknown {
  return error instanceof Error && "code" in error && error.code === "57014" ? tracesBeingCounted(error) : error;
}

function tracesBeingCounted(cause: unknown): AppError {
  return new AppError({
    code: "traces_being_counted",
    status: 503,
    message:
      "The project's traces are being counted, and until that is done this takes too long. Try again in a minute, or ask for a short time: started:>-1h.",
    headers: { "retry-after": "30" },
    cause,
  });
}

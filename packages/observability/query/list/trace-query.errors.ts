import { refusal } from "@sightline/foundation/errors";
import type { TraceQueryError } from "#contract.ts";

/** Each place as `q[from..to]`, in characters. */
export const invalidQuery = (errors: readonly TraceQueryError[]) =>
  refusal(400, "invalid_query", `The query cannot be read: ${errors[0]?.message ?? ""}`, {
    details: errors.map(({ from, to, message }) => ({ path: `q[${from}..${to}]`, message })),
  });

/** What a search that ended at its time limit (`57014`) is answered with; any other error as it is. */
export function orTooSlow(error: unknown): unknown {
  return error instanceof Error && "code" in error && error.code === "57014" ? tooSlow(error) : error;
}

const tooSlow = (cause: unknown) =>
  refusal(
    503,
    "too_slow",
    "To look through the project's traces took more than 10 seconds. Ask for a shorter time (started:>-1h) or for fewer terms, or try again in a minute.",
    { headers: { "retry-after": "30" }, cause },
  );

/** The end of an export that would not be whole. */
export const tracesBeingCounted = () =>
  refusal(409, "traces_being_counted", "The project's newest traces are still being counted, and would be missing. Try again in a minute.");

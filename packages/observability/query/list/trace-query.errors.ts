import { refusal } from "@sightline/foundation/errors";
import type { TraceQueryError } from "#contract.ts";

/** Each place as `q[from..to]`, in characters. */
export const invalidQuery = (errors: readonly TraceQueryError[]) =>
  refusal(400, "invalid_query", `The query cannot be read: ${errors[0]?.message ?? ""}`, {
    details: errors.map(({ from, to, message }) => ({ path: `q[${from}..${to}]`, message })),
  });

/** What a search that ended at its time limit (`57014`) is answered with; any other error as it is. */
export function orBeingCounted(error: unknown): unknown {
  return error instanceof Error && "code" in error && error.code === "57014" ? tracesBeingCounted(error) : error;
}

const tracesBeingCounted = (cause: unknown) =>
  refusal(
    503,
    "traces_being_counted",
    "The project's traces are being counted, and until that is done this takes too long. Try again in a minute, or ask for a short time: started:>-1h.",
    { headers: { "retry-after": "30" }, cause },
  );

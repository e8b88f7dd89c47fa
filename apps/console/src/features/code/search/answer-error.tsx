import { ApiError } from "#http/api-error.ts";
import { ErrorState } from "#ui/kit/list-states.tsx";

/** Why there is no answer: a query that can't be read stays so however often it is asked. */
export function AnswerError({ error, onRetry }: { readonly error: Error; readonly onRetry: () => void }) {
  return error instanceof ApiError && error.status === 400 ? (
    <ErrorState title="This can't be searched for" error={error} />
  ) : (
    <ErrorState title="The search failed" error={error} onRetry={onRetry} />
  );
}

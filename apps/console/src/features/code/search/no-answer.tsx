import { hasStatus } from "#http/api-error.ts";
import { ErrorState, LoadingRows, type Query } from "#ui/kit/list-states.tsx";
import classes from "./answer.module.css";

/** In place of an answer: that it is on its way, or why there is none. A query that can't be read stays so however often it is asked. */
export function NoAnswer({ list: { error, refetch }, rowHeight }: { readonly list: Query; readonly rowHeight: number }) {
  if (error === null) {
    return (
      <div className={classes.waiting}>
        <LoadingRows rows={4} height={rowHeight} />
      </div>
    );
  }
  return hasStatus(error, 400) ? (
    <ErrorState title="This can't be searched for" error={error} />
  ) : (
    <ErrorState title="The search failed" error={error} onRetry={() => void refetch()} />
  );
}

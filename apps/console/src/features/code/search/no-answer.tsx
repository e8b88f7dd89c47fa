import { hasCode, hasStatus } from "#http/api-error.ts";
import { ErrorState, LoadingRows, type Query } from "#ui/kit/list-states.tsx";
import classes from "./answer.module.css";

/** Stands in place of an answer, and says that it is loading or why there is none. */
export function NoAnswer({ list: { error, refetch }, rowHeight }: { readonly list: Query; readonly rowHeight: number }) {
  if (error === null) {
    return (
      <div className={classes.waiting}>
        <LoadingRows rows={4} height={rowHeight} />
      </div>
    );
  }
  return isOfTheQuery(error) ? (
    <ErrorState title="This can't be searched for" error={error} />
  ) : (
    <ErrorState title="The search failed" error={error} onRetry={() => void refetch()} />
  );
}

/** Whether it stays so however often it is asked: a query that can't be read, or that names what is not there. */
function isOfTheQuery(error: Error): boolean {
  return hasStatus(error, 400) || hasCode(error, "repository_not_found", "ref_not_indexed");
}

import { notifications } from "@mantine/notifications";
import type { ChangeViewRequest, View } from "@sightline/observability/contract";
import { useQueryClient } from "@tanstack/react-query";
import { useApi } from "#http/api-context.ts";
import { failureTitle } from "#ui/failure-title.ts";
import { changeView, createView, deleteView, viewsQuery } from "#features/traces/api/views.ts";
import type { ListState } from "./list-state.ts";

/** What can be done with saved views; afterwards the list of them is loaded anew. */
export function useViewActions(projectId: string, { q, sort, order, columns }: ListState) {
  const api = useApi();
  const queries = useQueryClient();
  const shown = { query: q.trim(), sort, order, columns: [...columns] };

  async function done<Result>(changing: Promise<Result>): Promise<Result> {
    const result = await changing;
    await queries.invalidateQueries({ queryKey: viewsQuery(api, projectId).queryKey });
    return result;
  }

  /** For what has no dialog that could say what went wrong. */
  function change(view: View, what: ChangeViewRequest, message: string): void {
    done(changeView(api, projectId, view.id, what)).then(
      () => notifications.show({ color: "green", message }),
      (error: Error) =>
        notifications.show({ color: "red", title: failureTitle(error, `“${view.name}” was not changed`), message: error.message }),
    );
  }

  return {
    create: (name: string, shared: boolean) => done(createView(api, projectId, { ...shown, name, shared })),
    rename: (view: View, name: string) => done(changeView(api, projectId, view.id, { name })),
    update: (view: View) => change(view, shown, `“${view.name}” is as you see it now.`),
    share: (view: View, shared: boolean) =>
      change(view, { shared }, shared ? `Everybody in the project sees “${view.name}”.` : `Only you see “${view.name}”.`),
    remove: (view: View) => done(deleteView(api, projectId, view.id)),
  };
}

import { savedSearchesSchema, savedSearchSchema, watchAlertsSchema, type SavedQuery } from "@sightline/code-index/contract";
import { queryOptions } from "@tanstack/react-query";
import { codeIndex, encoded } from "#http/calls.ts";
import { answerTo, onlyItems } from "#http/queries.ts";

const PATH = "/api/v1/saved-searches";
const REFRESH_MS = 30_000;

export const savedSearchesQuery = queryOptions({
  queryKey: ["saved-searches"],
  queryFn: answerTo(codeIndex.get(PATH, { answer: savedSearchesSchema })),
  refetchInterval: REFRESH_MS,
});

/** What was found for a search, the newest first. */
export function watchAlertsQuery(id: string) {
  const call = codeIndex.get(PATH + encoded`/${id}/alerts`, { answer: onlyItems(watchAlertsSchema) });
  return queryOptions({ queryKey: [...savedSearchesQuery.queryKey, id, "alerts"], queryFn: answerTo(call) });
}

export const saveSearch = (body: SavedQuery) => codeIndex.post(PATH, { body, answer: savedSearchSchema });

export type SavedSearchChange = { readonly watch?: boolean; readonly by_email?: boolean; readonly read_until?: string };

export const changeSavedSearch = (id: string, body: SavedSearchChange) =>
  codeIndex.patch(PATH + encoded`/${id}`, { body, answer: savedSearchSchema });

export const deleteSavedSearch = (id: string) => codeIndex.delete(PATH + encoded`/${id}`);

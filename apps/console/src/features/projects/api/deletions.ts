import { deletionPageSchema, type Deletion } from "@sightline/observability/contract";
import { infiniteQueryOptions } from "@tanstack/react-query";
import { encoded, observability } from "#http/calls.ts";
import { pageByPage } from "#http/queries.ts";

const PROGRESS_MS = 2_000;

/** What was deleted of a project, the newest first; asked again while some of it is still to go. */
export function deletionsQuery(projectId: string) {
  const call = observability.get(encoded`/api/v1/projects/${projectId}/deletions`, { answer: deletionPageSchema });
  return infiniteQueryOptions({
    ...pageByPage(["deletions", projectId], call),
    refetchInterval: ({ state }) => state.data?.pages.some(({ items }) => items.some(isUnderWay)) === true && PROGRESS_MS,
  });
}

function isUnderWay({ state }: Deletion): boolean {
  return state !== "done";
}

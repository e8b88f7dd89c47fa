import { gapPageSchema } from "@sightline/observability/contract";
import { infiniteQueryOptions, keepPreviousData } from "@tanstack/react-query";
import type { Api } from "#http/api.ts";

const PAGE_SIZE = 50;
const EVERY_MS = 15_000;

/** Ranges of lost events, newest first. */
export function gapsQuery(api: Api, projectId: string) {
  return infiniteQueryOptions({
    queryKey: ["projects", projectId, "gaps"],
    queryFn: ({ pageParam, signal }) =>
      api.request({
        part: "observability",
        path: `/api/v1/projects/${encodeURIComponent(projectId)}/gaps`,
        query: { cursor: pageParam, limit: PAGE_SIZE },
        answer: gapPageSchema,
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
    refetchInterval: EVERY_MS,
  });
}

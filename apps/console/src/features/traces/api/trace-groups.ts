import { traceGroupPageSchema } from "@sightline/observability/contract";
import { infiniteQueryOptions, keepPreviousData } from "@tanstack/react-query";
import type { Api } from "#http/api.ts";

export type GroupKind = "sessions" | "users";
export const GROUP_SORTS = ["last", "traces", "failures", "tokens", "cost"] as const;
export type GroupSort = (typeof GROUP_SORTS)[number];
export type AskedGroups = { readonly kind: GroupKind; readonly sort: GroupSort; readonly prefix: string };

const PAGE_SIZE = 50;
const REFRESH_MS = 15_000;

/** A project's sessions or users, and what their traces are together; refreshed as long as only the first page is shown. */
export function traceGroupsQuery(api: Api, projectId: string, { kind, sort, prefix }: AskedGroups) {
  return infiniteQueryOptions({
    queryKey: ["trace groups", projectId, kind, sort, prefix],
    queryFn: ({ pageParam, signal }) =>
      api.request({
        part: "observability",
        path: `/api/v1/projects/${encodeURIComponent(projectId)}/${kind}`,
        query: { sort, prefix, cursor: pageParam, limit: PAGE_SIZE },
        answer: traceGroupPageSchema,
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) <= 1 ? REFRESH_MS : false),
  });
}

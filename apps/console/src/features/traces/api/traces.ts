import { type ObservationStatus, tracePageSchema, traceSchema } from "@sightline/observability/contract";
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { Api } from "#http/api.ts";

const LIVE_MS = 2_000;
const PAGE_SIZE = 50;

export type TraceFilter = { readonly status: ObservationStatus | undefined; readonly name: string | undefined };

/** A project's traces, newest first; live as long as only the first page is shown, since more pages would be asked for again and again. */
export function tracesQuery(api: Api, projectId: string, { status, name }: TraceFilter) {
  return infiniteQueryOptions({
    queryKey: ["traces", projectId, status, name],
    queryFn: ({ pageParam, signal }) =>
      api.request({
        part: "observability",
        path: `/api/v1/projects/${encodeURIComponent(projectId)}/traces`,
        query: { status, name, cursor: pageParam, limit: PAGE_SIZE },
        answer: tracePageSchema,
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (isLive(state.data?.pages.length) ? LIVE_MS : false),
  });
}

export function isLive(pages: number | undefined): boolean {
  return pages === undefined || pages <= 1;
}

/** The newest failed traces of a project, for the overview. */
export function failedTracesQuery(api: Api, projectId: string, limit: number) {
  return queryOptions({
    queryKey: ["traces", projectId, "newest failures", limit],
    queryFn: ({ signal }) =>
      api.request({
        part: "observability",
        path: `/api/v1/projects/${encodeURIComponent(projectId)}/traces`,
        query: { status: "failure", limit },
        answer: tracePageSchema,
        signal,
      }),
    refetchInterval: 15_000,
  });
}

/** One trace with its observations, followed while it runs. */
export function traceQuery(api: Api, projectId: string, traceId: string) {
  return queryOptions({
    queryKey: ["trace", projectId, traceId],
    queryFn: ({ signal }) =>
      api.request({
        part: "observability",
        path: `/api/v1/projects/${encodeURIComponent(projectId)}/traces/${encodeURIComponent(traceId)}`,
        answer: traceSchema,
        signal,
      }),
    refetchInterval: ({ state }) => (state.data?.status === "running" ? LIVE_MS : false),
  });
}

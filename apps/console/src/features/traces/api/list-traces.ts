import { type FacetField, type TraceSort, facetListSchema, tracePageSchema } from "@sightline/observability/contract";
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { Api } from "#http/api.ts";

const PAGE_SIZE = 50;

export type AskedTraces = { readonly q: string; readonly sort: TraceSort; readonly order: "desc" | "asc" };

/** A project's traces that a query finds. */
export function tracesQuery(api: Api, projectId: string, { q, sort, order }: AskedTraces) {
  return infiniteQueryOptions({
    queryKey: ["traces", projectId, q, sort, order],
    queryFn: ({ pageParam, signal }) =>
      api.request({
        part: "observability",
        path: `${projectPath(projectId)}/traces`,
        query: { q, sort, order, cursor: pageParam, limit: PAGE_SIZE },
        answer: tracePageSchema,
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
  });
}

/** The list is live as long as only its first page is shown, since more pages would be asked for again and again. */
export function isLive(pages: number | undefined): boolean {
  return pages === undefined || pages <= 1;
}

export type AskedFacets = { readonly field: FacetField; readonly prefix: string; readonly q: string };

/** The values that a field has, for the completion of a query. */
export function facetsQuery(api: Api, projectId: string, { field, prefix, q }: AskedFacets) {
  return queryOptions({
    queryKey: ["facets", projectId, field, prefix, q],
    queryFn: ({ signal }) =>
      api.request({
        part: "observability",
        path: `${projectPath(projectId)}/traces/facets`,
        query: { field, prefix, q, limit: 20 },
        answer: facetListSchema,
        signal,
      }),
    staleTime: 30_000,
    retry: false,
  });
}

function projectPath(projectId: string): string {
  return `/api/v1/projects/${encodeURIComponent(projectId)}`;
}

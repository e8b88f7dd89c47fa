import { type TraceSort, facetListSchema, traceHistogramSchema, tracePageSchema } from "@sightline/observability/contract";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { encoded, observability } from "#http/calls.ts";
import { answerTo, pageByPage } from "#http/queries.ts";

const PAGE_SIZE = 50;

const tracesOf = (projectId: string) => encoded`/api/v1/projects/${projectId}/traces`;

export type AskedTraces = { readonly q: string; readonly sort: TraceSort; readonly order: "desc" | "asc" };

export function tracesQuery(projectId: string, { q, sort, order }: AskedTraces) {
  const query = { q, sort, order, limit: PAGE_SIZE };
  return {
    ...pageByPage(["traces", projectId, q, sort, order], observability.get(tracesOf(projectId), { query, answer: tracePageSchema })),
    placeholderData: keepPreviousData,
  };
}

/** How many traces there are, and when they began. */
export function histogramQuery(projectId: string, q: string) {
  return queryOptions({
    queryKey: ["trace histogram", projectId, q],
    queryFn: answerTo(observability.get(`${tracesOf(projectId)}/histogram`, { query: { q }, answer: traceHistogramSchema })),
    placeholderData: keepPreviousData,
    refetchInterval: HISTOGRAM_MS,
    staleTime: HISTOGRAM_MS / 2,
    retry: false,
  });
}

const HISTOGRAM_MS = 10_000;

/** The list is live as long as only its first page is shown, since more pages would be asked for again and again. */
export function isLive(pages: number | undefined): boolean {
  return pages === undefined || pages <= 1;
}

/** The newest traces that a query finds, asked for again and again. */
export function newestTracesQuery(projectId: string, { everyMs, ...query }: { q: string; limit: number; everyMs: number }) {
  return queryOptions({
    queryKey: ["traces", projectId, "newest", query.q, query.limit],
    queryFn: answerTo(observability.get(tracesOf(projectId), { query, answer: tracePageSchema })),
    refetchInterval: everyMs,
  });
}

export type AskedFacets = { readonly field: string; readonly prefix: string; readonly q: string };

/** How many values of a field are told at once. */
export const FACETS_SHOWN = 20;

/** The values that a field has, those of the most traces first. */
export function facetsQuery(projectId: string, request: AskedFacets) {
  const query = { ...request, limit: FACETS_SHOWN };
  return queryOptions({
    queryKey: ["facets", projectId, request.field, request.prefix, request.q],
    queryFn: answerTo(observability.get(`${tracesOf(projectId)}/facets`, { query, answer: facetListSchema })),
    staleTime: 30_000,
    retry: false,
  });
}

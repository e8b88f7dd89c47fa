import { type AlignmentFilter, comparisonSchema, observationSchema, tracePageSchema } from "@sightline/observability/contract";
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { Api } from "#http/api.ts";

const PAGE_SIZE = 300;
/** Two runs of twenty thousand steps take their time. */
const COMPARE_MS = 60_000;
const FOUND = 20;

export type Compared = { readonly projectId: string; readonly a: string; readonly b: string };

/** What differs between two traces; its pages hold further steps. */
export function comparisonQuery(api: Api, { projectId, a, b }: Compared, show: AlignmentFilter) {
  return infiniteQueryOptions({
    queryKey: ["comparison", projectId, a, b, show],
    queryFn: ({ pageParam, signal }) =>
      api.request({
        part: "observability",
        path: `${pathOf(projectId)}/compare`,
        query: { a, b, show, cursor: pageParam, limit: PAGE_SIZE },
        answer: comparisonSchema,
        signal,
        deadlineMs: COMPARE_MS,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
  });
}

/** One step whole, for its input and output. */
export function comparedStepQuery(api: Api, projectId: string, traceId: string, stepId: string) {
  return queryOptions({
    queryKey: ["step", projectId, traceId, stepId],
    queryFn: ({ signal }) =>
      api.request({
        part: "observability",
        path: `${pathOf(projectId)}/traces/${encodeURIComponent(traceId)}/observations/${encodeURIComponent(stepId)}`,
        answer: observationSchema,
        signal,
      }),
    staleTime: 60_000,
  });
}

/** Traces to compare with: the newest that the query of the list finds. */
export function tracesToCompareQuery(api: Api, projectId: string, q: string) {
  return queryOptions({
    queryKey: ["traces to compare", projectId, q],
    queryFn: ({ signal }) =>
      api.request({
        part: "observability",
        path: `${pathOf(projectId)}/traces`,
        query: { q, limit: FOUND },
        answer: tracePageSchema,
        signal,
      }),
    placeholderData: keepPreviousData,
    staleTime: 10_000,
    retry: false,
  });
}

/** The query of the list that finds runs of this name that began earlier. */
export function earlierRunsOf({ name, started_at: startedAt }: { readonly name: string; readonly started_at: string }): string {
  return `name:"${name.replaceAll(/["\\*]/g, String.raw`\$&`)}" started:<${startedAt.slice(0, 19)}`;
}

function pathOf(projectId: string): string {
  return `/api/v1/projects/${encodeURIComponent(projectId)}`;
}

import {
  type AlignmentFilter,
  comparisonSchema,
  facetListSchema,
  observationSchema,
  setComparisonSchema,
  traceDigestSchema,
  tracePageSchema,
} from "@sightline/observability/contract";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { encoded, observability } from "#http/calls.ts";
import { answerTo, pageByPage } from "#http/queries.ts";

const PAGE_SIZE = 300;
/** Two runs of twenty thousand steps take their time. */
const COMPARE_MS = 60_000;
const FOUND = 20;

export type Compared = { readonly projectId: string; readonly a: string; readonly b: string };

/** What differs between two traces; its pages hold further steps. */
export function comparisonQuery({ projectId, a, b }: Compared, show: AlignmentFilter) {
  const call = observability.get(encoded`/api/v1/projects/${projectId}/compare`, {
    query: { a, b, show, limit: PAGE_SIZE },
    answer: comparisonSchema,
    deadlineMs: COMPARE_MS,
  });
  return {
    ...pageByPage(["comparison", projectId, a, b, show], call),
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
  };
}

/** One step whole, for its input and output. */
export function comparedStepQuery(projectId: string, traceId: string, stepId: string) {
  const path = encoded`/api/v1/projects/${projectId}/traces/${traceId}/observations/${stepId}`;
  return queryOptions({
    queryKey: ["step", projectId, traceId, stepId],
    queryFn: answerTo(observability.get(path, { answer: observationSchema, exact: true })),
    staleTime: 60_000,
  });
}

/** What a run as a whole took in and gave back. */
export function comparedTraceQuery(projectId: string, traceId: string) {
  const path = encoded`/api/v1/projects/${projectId}/traces/${traceId}/summary`;
  return queryOptions({
    queryKey: ["compared trace", projectId, traceId],
    queryFn: answerTo(observability.get(path, { answer: traceDigestSchema, exact: true })),
    staleTime: 60_000,
  });
}

/** Traces to compare with: the newest that the query of the list finds. */
export function tracesToCompareQuery(projectId: string, q: string) {
  const call = observability.get(encoded`/api/v1/projects/${projectId}/traces`, { query: { q, limit: FOUND }, answer: tracePageSchema });
  return queryOptions({
    queryKey: ["traces to compare", projectId, q],
    queryFn: answerTo(call),
    placeholderData: keepPreviousData,
    staleTime: 10_000,
    retry: false,
  });
}

export type ComparedSets = { readonly a: string; readonly b: string; readonly hours: number };

/** What changed from one set of traces to another. */
export function setComparisonQuery(projectId: string, query: ComparedSets) {
  const call = observability.get(encoded`/api/v1/projects/${projectId}/compare/sets`, {
    query,
    answer: setComparisonSchema,
    deadlineMs: COMPARE_MS,
  });
  return queryOptions({
    queryKey: ["set comparison", projectId, query],
    queryFn: answerTo(call),
    placeholderData: keepPreviousData,
    staleTime: 30_000,
    retry: false,
  });
}

/** Releases, the one that came last first. */
export function releasesQuery(projectId: string) {
  const query = { field: "release", sort: "newest", limit: FOUND };
  const call = observability.get(encoded`/api/v1/projects/${projectId}/traces/facets`, { query, answer: facetListSchema });
  return queryOptions({ queryKey: ["releases", projectId], queryFn: answerTo(call), staleTime: 60_000 });
}

/** The term of the list's query that finds runs of this name. */
export function named(name: string): string {
  return `name:"${name.replaceAll(/["\\*]/g, String.raw`\$&`)}"`;
}

/** The query that finds those that began earlier. */
export function earlierRunsQuery({ name, started_at: startedAt }: { readonly name: string; readonly started_at: string }): string {
  return `${named(name)} started:<${startedAt.slice(0, 19)}`;
}

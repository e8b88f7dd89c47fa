import { pageOf, repositorySchema, searchAnswerSchema } from "@sightline/code-index/contract";
import { projectPageSchema, tracePageSchema } from "@sightline/observability/contract";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { Api } from "#http/api.ts";

/** Shown of each kind. */
const MAX_FOUND = 5;
/** The palette offers what is there by name; of more, the pages themselves have searches. */
const NAMED = 200;
const FRESH_MS = 30_000;

export function codeQuery(api: Api, typed: string) {
  return queryOptions({
    queryKey: ["palette", "code", typed],
    queryFn: ({ signal }) =>
      api.request({
        part: "code-index",
        path: "/api/v1/search",
        query: { query: typed, limit: MAX_FOUND },
        answer: searchAnswerSchema,
        signal,
      }),
    enabled: typed.length > 1,
    placeholderData: keepPreviousData,
    staleTime: FRESH_MS,
    retry: false,
  });
}

export function repositoriesQuery(api: Api) {
  return queryOptions({
    queryKey: ["palette", "repositories"],
    queryFn: ({ signal }) =>
      api.request({ part: "code-index", path: "/api/v1/repos", query: { limit: NAMED }, answer: pageOf(repositorySchema), signal }),
    staleTime: FRESH_MS,
    retry: false,
  });
}

export function projectsQuery(api: Api) {
  return queryOptions({
    queryKey: ["palette", "projects"],
    queryFn: ({ signal }) =>
      api.request({ part: "observability", path: "/api/v1/projects", query: { limit: NAMED }, answer: projectPageSchema, signal }),
    staleTime: FRESH_MS,
    retry: false,
  });
}

/** Traces of a project that have the words. */
export function tracesQuery(api: Api, projectId: string | undefined, typed: string) {
  return queryOptions({
    queryKey: ["palette", "traces", projectId, typed],
    queryFn: ({ signal }) =>
      api.request({
        part: "observability",
        path: `/api/v1/projects/${encodeURIComponent(projectId ?? "")}/traces`,
        query: { search: typed, limit: MAX_FOUND },
        answer: tracePageSchema,
        signal,
      }),
    enabled: projectId !== undefined && typed.length > 1,
    placeholderData: keepPreviousData,
    staleTime: FRESH_MS,
    retry: false,
  });
}

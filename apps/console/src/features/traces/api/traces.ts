import { tracePageSchema } from "@sightline/observability/contract";
import { queryOptions } from "@tanstack/react-query";
import type { Api } from "#http/api.ts";

/** The newest traces of a project that a query finds, for the overview. */
export function newestTracesQuery(
  api: Api,
  projectId: string,
  { q, limit, everyMs }: { readonly q: string; readonly limit: number; readonly everyMs: number },
) {
  return queryOptions({
    queryKey: ["traces", projectId, "newest", q, limit],
    queryFn: ({ signal }) =>
      api.request({
        part: "observability",
        path: `/api/v1/projects/${encodeURIComponent(projectId)}/traces`,
        query: { q, limit },
        answer: tracePageSchema,
        signal,
      }),
    refetchInterval: everyMs,
  });
}

import { tracePageSchema } from "@sightline/observability/contract";
import { queryOptions } from "@tanstack/react-query";
import type { Api } from "#http/api.ts";

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

import { transcriptPageSchema } from "@sightline/observability/contract";
import { infiniteQueryOptions } from "@tanstack/react-query";
import type { Api } from "#http/api.ts";

const PAGE_SIZE = 20;

/** What was said in a trace, call by call. */
export function transcriptQuery(api: Api, projectId: string, traceId: string) {
  return infiniteQueryOptions({
    queryKey: ["trace transcript", projectId, traceId],
    queryFn: ({ pageParam, signal }) =>
      api.request({
        part: "observability",
        path: `/api/v1/projects/${encodeURIComponent(projectId)}/traces/${encodeURIComponent(traceId)}/transcript`,
        query: { cursor: pageParam, limit: PAGE_SIZE },
        answer: transcriptPageSchema,
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });
}

import { type CreateScoreRequest, type Score, scoreNamesSchema, scorePageSchema, scoreSchema } from "@sightline/observability/contract";
import { queryOptions } from "@tanstack/react-query";
import { z } from "zod";
import { PAGE_SIZE, allPages } from "#http/all-pages.ts";
import type { Api } from "#http/api.ts";

/** What the application and people gave a trace and its steps, newest first. */
export function scoresQuery(api: Api, projectId: string, traceId: string) {
  return queryOptions({
    queryKey: ["scores", projectId, traceId],
    queryFn: ({ signal }) =>
      allPages((cursor) =>
        api.request({
          part: "observability",
          path: pathOf(projectId),
          query: { trace_id: traceId, cursor, limit: PAGE_SIZE },
          answer: scorePageSchema,
          signal,
        }),
      ),
  });
}

/** Names that scores of the project have. */
export function scoreNamesQuery(api: Api, projectId: string) {
  return queryOptions({
    queryKey: ["score names", projectId],
    queryFn: ({ signal }) => api.request({ part: "observability", path: `${pathOf(projectId)}/names`, answer: scoreNamesSchema, signal }),
    staleTime: 60_000,
  });
}

export function createScore(api: Api, projectId: string, body: CreateScoreRequest): Promise<Score> {
  return api.request({ part: "observability", method: "POST", path: pathOf(projectId), body, answer: scoreSchema });
}

export async function deleteScore(api: Api, projectId: string, scoreId: string): Promise<void> {
  await api.request({
    part: "observability",
    method: "DELETE",
    path: `${pathOf(projectId)}/${encodeURIComponent(scoreId)}`,
    answer: z.void(),
  });
}

function pathOf(projectId: string): string {
  return `/api/v1/projects/${encodeURIComponent(projectId)}/scores`;
}

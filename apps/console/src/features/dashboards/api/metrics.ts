import { metricsSchema } from "@sightline/observability/contract";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { Api } from "#http/api.ts";
import type { AskedRange } from "#features/dashboards/asked-range.ts";

const REFRESH_MS = 30_000;

export type GroupsQuestion = { readonly by?: "kind" | "name" | "model" | "status" | "trace"; readonly kind?: "node" | "tool" | "llm" };

/** A project's figures over a time, and groups of them where asked for. */
export function metricsQuery(api: Api, projectId: string, { from, to, step }: AskedRange, { by, kind }: GroupsQuestion = {}) {
  return queryOptions({
    queryKey: ["metrics", projectId, from, to, step, by, kind],
    queryFn: ({ signal }) =>
      api.request({
        part: "observability",
        path: `/api/v1/projects/${encodeURIComponent(projectId)}/metrics`,
        query: { from, to, step, by, kind },
        answer: metricsSchema,
        signal,
      }),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });
}

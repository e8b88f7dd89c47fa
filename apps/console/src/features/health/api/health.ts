import { detailedHealthSchema } from "@sightline/observability/contract";
import { queryOptions } from "@tanstack/react-query";
import { z } from "zod";
import type { Api } from "#http/api.ts";

const REFRESH_MS = 10_000;

export function codeIndexHealthQuery(api: Api) {
  return queryOptions({
    queryKey: ["health", "code-index"],
    queryFn: ({ signal }) => api.request({ part: "code-index", path: "/health", answer: z.object({ status: z.literal("ok") }), signal }),
    refetchInterval: REFRESH_MS,
    retry: false,
  });
}

export function observabilityHealthQuery(api: Api) {
  return queryOptions({
    queryKey: ["health", "observability"],
    queryFn: ({ signal }) => api.request({ part: "observability", path: "/health/detailed", answer: detailedHealthSchema, signal }),
    refetchInterval: REFRESH_MS,
    retry: false,
  });
}

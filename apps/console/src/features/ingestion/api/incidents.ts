import { deadLetterPageSchema, gapPageSchema } from "@sightline/observability/contract";
import { queryOptions } from "@tanstack/react-query";
import type { Api } from "#http/api.ts";

const EVERY_MS = 30_000;
const MAX_INCIDENTS = 100;

/** The newest lost events of all projects that the viewer may see. */
export function allGapsQuery(api: Api) {
  return queryOptions({
    queryKey: ["incidents", "gaps"],
    queryFn: ({ signal }) =>
      api.request({ part: "observability", path: "/api/v1/gaps", query: { limit: MAX_INCIDENTS }, answer: gapPageSchema, signal }),
    refetchInterval: EVERY_MS,
  });
}

/** The newest open dead letters of all projects that the viewer owns. */
export function allDeadLettersQuery(api: Api) {
  return queryOptions({
    queryKey: ["incidents", "dead letters"],
    queryFn: ({ signal }) =>
      api.request({
        part: "observability",
        path: "/api/v1/dead-letters",
        query: { state: "open", limit: MAX_INCIDENTS },
        answer: deadLetterPageSchema,
        signal,
      }),
    refetchInterval: EVERY_MS,
  });
}

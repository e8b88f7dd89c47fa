import {
  observationSchema,
  payloadRangeSchema,
  traceDigestSchema,
  traceSchema,
  type TruncatedValue,
} from "@sightline/observability/contract";
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { Api } from "#http/api.ts";

function pathOf(projectId: string, traceId: string): string {
  return `/api/v1/projects/${encodeURIComponent(projectId)}/traces/${encodeURIComponent(traceId)}`;
}

/** A trace without its steps. */
export function digestQuery(api: Api, projectId: string, traceId: string) {
  return queryOptions({
    queryKey: ["trace digest", projectId, traceId],
    queryFn: ({ signal }) =>
      api.request({ part: "observability", path: `${pathOf(projectId, traceId)}/summary`, answer: traceDigestSchema, signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** One step with all that is known of it. */
export function observationQuery(
  api: Api,
  { projectId, traceId, observationId }: { readonly projectId: string; readonly traceId: string; readonly observationId: string },
) {
  return queryOptions({
    queryKey: ["observation", projectId, traceId, observationId],
    queryFn: ({ signal }) =>
      api.request({
        part: "observability",
        path: `${pathOf(projectId, traceId)}/observations/${encodeURIComponent(observationId)}`,
        answer: observationSchema,
        signal,
      }),
  });
}

/** Code points. What is shown at once; a page with ten times as much is slow to lay out. */
const RANGE = 65_536;

/** A value that is too long for the other answers, range by range. */
export function payloadQuery(
  api: Api,
  { projectId, traceId, value }: { readonly projectId: string; readonly traceId: string; readonly value: TruncatedValue },
) {
  return infiniteQueryOptions({
    queryKey: ["payload", projectId, traceId, value.payload_id, value.part],
    queryFn: ({ pageParam, signal }) =>
      api.request({
        part: "observability",
        path: `${pathOf(projectId, traceId)}/payloads/${encodeURIComponent(value.payload_id)}`,
        query: { part: value.part, from: pageParam, length: RANGE },
        answer: payloadRangeSchema,
        signal,
      }),
    initialPageParam: 0,
    getNextPageParam: (range) => range.next_from ?? undefined,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 30_000,
  });
}

/** The whole trace as the API has it: up to 4 MB, and it says when there is more. */
export function fetchTrace(api: Api, projectId: string, traceId: string) {
  return api.request({ part: "observability", path: pathOf(projectId, traceId), answer: traceSchema, deadlineMs: 60_000 });
}

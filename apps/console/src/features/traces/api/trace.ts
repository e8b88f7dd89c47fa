import { observationSchema, traceDigestSchema, tracePlaceSchema, traceSchema } from "@sightline/observability/contract";
import { queryOptions } from "@tanstack/react-query";
import { encoded, observability } from "#http/calls.ts";
import { answerTo } from "#http/queries.ts";

export const traceUrl = (projectId: string, traceId: string) => encoded`/api/v1/projects/${projectId}/traces/${traceId}`;

/** A trace without its steps. */
export function digestQuery(projectId: string, traceId: string) {
  return queryOptions({
    queryKey: ["trace digest", projectId, traceId],
    queryFn: answerTo(observability.get(`${traceUrl(projectId, traceId)}/summary`, { answer: traceDigestSchema, exact: true })),
    staleTime: Infinity,
  });
}

/** Which project has a trace, by its id or OpenTelemetry's. */
export function tracePlaceQuery(traceId: string) {
  return queryOptions({
    queryKey: ["trace place", traceId],
    queryFn: answerTo(observability.get(encoded`/api/v1/traces/${traceId}/place`, { answer: tracePlaceSchema })),
    retry: false,
  });
}

/** One step with all that is known of it. */
export function observationQuery(projectId: string, traceId: string, observationId: string) {
  const path = traceUrl(projectId, traceId) + encoded`/observations/${observationId}`;
  return queryOptions({
    queryKey: ["observation", projectId, traceId, observationId],
    queryFn: answerTo(observability.get(path, { answer: observationSchema, exact: true })),
  });
}

/** The whole trace as the API has it: up to 4 MB, and it says when there is more. */
export const wholeTrace = (projectId: string, traceId: string) =>
  observability.get(traceUrl(projectId, traceId), { answer: traceSchema, exact: true, deadlineMs: 60_000 });

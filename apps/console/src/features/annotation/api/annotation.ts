import {
  type AddToQueueRequest,
  type AnnotateRequest,
  type CreateAnnotationQueueRequest,
  annotatedTracePageSchema,
  annotationQueueListSchema,
  claimedTraceSchema,
  createdQueueSchema,
} from "@sightline/observability/contract";
import { queryOptions } from "@tanstack/react-query";
import { encoded, observability } from "#http/calls.ts";
import { answerTo, onlyItems } from "#http/queries.ts";

const queuesOf = (projectId: string) => encoded`/api/v1/projects/${projectId}/annotation-queues`;
const pathOf = (projectId: string, id: string) => queuesOf(projectId) + encoded`/${id}`;
export const queuesKey = (projectId: string) => ["projects", projectId, "annotation-queues"] as const;

export function queuesQuery(projectId: string) {
  return queryOptions({
    queryKey: queuesKey(projectId),
    queryFn: answerTo(observability.get(queuesOf(projectId), { answer: onlyItems(annotationQueueListSchema) })),
  });
}

/** Asked again it answers with the trace that is held, for as long once more. */
export function claimQuery(projectId: string, id: string) {
  return queryOptions({
    queryKey: [...queuesKey(projectId), id, "claim"],
    queryFn: answerTo(observability.post(`${pathOf(projectId, id)}/claims`, { answer: claimedTraceSchema })),
  });
}

/** Those that wait for somebody to resolve them, and how far people agree in the queue. */
export function disputedQuery(projectId: string, id: string) {
  const call = observability.get(`${pathOf(projectId, id)}/traces`, { query: { only: "disputed" }, answer: annotatedTracePageSchema });
  return queryOptions({ queryKey: [...queuesKey(projectId), id, "disputed"], queryFn: answerTo(call) });
}

export const createQueue = (projectId: string, body: CreateAnnotationQueueRequest) =>
  observability.post(queuesOf(projectId), { body, answer: createdQueueSchema });
export const addToQueue = (projectId: string, id: string, body: AddToQueueRequest) =>
  observability.post(`${pathOf(projectId, id)}/traces`, { body });
export const annotate = (projectId: string, id: string, traceId: string, body: AnnotateRequest) =>
  observability.put(`${pathOf(projectId, id)}/traces${encoded`/${traceId}`}`, { body });

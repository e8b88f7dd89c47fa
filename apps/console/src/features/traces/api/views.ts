import { type ChangeViewRequest, type CreateViewRequest, viewListSchema, viewSchema } from "@sightline/observability/contract";
import { queryOptions } from "@tanstack/react-query";
import { encoded, observability } from "#http/calls.ts";
import { answerTo, onlyItems } from "#http/queries.ts";

const viewsOf = (projectId: string) => encoded`/api/v1/projects/${projectId}/views`;

export function viewsQuery(projectId: string) {
  return queryOptions({
    queryKey: ["views", projectId],
    queryFn: answerTo(observability.get(viewsOf(projectId), { answer: onlyItems(viewListSchema) })),
    staleTime: 30_000,
  });
}

export const createView = (projectId: string, body: CreateViewRequest) =>
  observability.post(viewsOf(projectId), { body, answer: viewSchema });

export const changeView = (projectId: string, viewId: string, body: ChangeViewRequest) =>
  observability.patch(viewsOf(projectId) + encoded`/${viewId}`, { body, answer: viewSchema });

export const deleteView = (projectId: string, viewId: string) => observability.delete(viewsOf(projectId) + encoded`/${viewId}`);

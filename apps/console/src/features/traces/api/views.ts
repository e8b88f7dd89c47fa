import { type ChangeViewRequest, type CreateViewRequest, type View, viewListSchema, viewSchema } from "@sightline/observability/contract";
import { queryOptions } from "@tanstack/react-query";
import { z } from "zod";
import type { Api } from "#http/api.ts";

export function viewsQuery(api: Api, projectId: string) {
  return queryOptions({
    queryKey: ["views", projectId],
    queryFn: ({ signal }) => api.request({ part: "observability", path: viewsPath(projectId), answer: viewListSchema, signal }),
    staleTime: 30_000,
  });
}

export function createView(api: Api, projectId: string, body: CreateViewRequest): Promise<View> {
  return api.request({ part: "observability", method: "POST", path: viewsPath(projectId), body, answer: viewSchema });
}

export function changeView(api: Api, projectId: string, viewId: string, body: ChangeViewRequest): Promise<View> {
  return api.request({ part: "observability", method: "PATCH", path: `${viewsPath(projectId)}/${viewId}`, body, answer: viewSchema });
}

export async function deleteView(api: Api, projectId: string, viewId: string): Promise<void> {
  await api.request({ part: "observability", method: "DELETE", path: `${viewsPath(projectId)}/${viewId}`, answer: z.unknown() });
}

function viewsPath(projectId: string): string {
  return `/api/v1/projects/${encodeURIComponent(projectId)}/views`;
}

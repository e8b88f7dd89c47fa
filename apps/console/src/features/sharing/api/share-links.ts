import {
  createdShareLinkSchema,
  type CreateShareLinkRequest,
  sharedTraceSchema,
  shareLinkListSchema,
} from "@sightline/observability/contract";
import { queryOptions } from "@tanstack/react-query";
import { encoded, observability } from "#http/calls.ts";
import { answerTo, onlyItems } from "#http/queries.ts";

const linksOf = (projectId: string) => encoded`/api/v1/projects/${projectId}/share-links`;

export function shareLinksQuery(projectId: string) {
  const queryFn = answerTo(observability.get(linksOf(projectId), { answer: onlyItems(shareLinkListSchema) }));
  return queryOptions({ queryKey: ["projects", projectId, "share-links"], queryFn });
}

export const createShareLink = (projectId: string, traceId: string, body: CreateShareLinkRequest) =>
  observability.post(encoded`/api/v1/projects/${projectId}/traces/${traceId}/share-links`, { body, answer: createdShareLinkSchema });
export const endShareLink = (projectId: string, id: string) => observability.delete(linksOf(projectId) + encoded`/${id}`);
export const switchSharing = (projectId: string, isSharing: boolean) =>
  observability.patch(encoded`/api/v1/projects/${projectId}`, { body: { is_sharing: isSharing } });

/** What a link shows to whoever has it; asked without a session. */
export function sharedQuery(token: string) {
  const call = observability.post("/api/v1/shared", { body: { token }, answer: sharedTraceSchema, exact: true, anonymous: true });
  return queryOptions({ queryKey: ["shared", token], queryFn: answerTo(call), retry: false });
}

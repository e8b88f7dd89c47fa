import { type ApiKeyScope, apiKeyPageSchema, apiKeySchema, createdApiKeySchema } from "@sightline/observability/contract";
import { queryOptions } from "@tanstack/react-query";
import { encoded, observability } from "#http/calls.ts";
import { readAllPages } from "#http/queries.ts";

const keysOf = (projectId: string) => encoded`/api/v1/projects/${projectId}/keys`;

export function apiKeysQuery(projectId: string) {
  return queryOptions({
    queryKey: ["projects", projectId, "keys"],
    queryFn: readAllPages(observability.get(keysOf(projectId), { answer: apiKeyPageSchema })),
  });
}

/** The answer is not kept in any cache: it is the only one with the key. */
export const createApiKey = (projectId: string, body: { readonly name: string; readonly scopes: readonly ApiKeyScope[] }) =>
  observability.post(keysOf(projectId), { body, answer: createdApiKeySchema });

export const revokeApiKey = (projectId: string, keyId: string) =>
  observability.delete(keysOf(projectId) + encoded`/${keyId}`, { answer: apiKeySchema });

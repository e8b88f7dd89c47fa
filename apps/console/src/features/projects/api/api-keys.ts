import {
  type ApiKeyScope,
  type CreatedApiKey,
  apiKeyPageSchema,
  apiKeySchema,
  createdApiKeySchema,
} from "@sightline/observability/contract";
import { queryOptions } from "@tanstack/react-query";
import { PAGE_SIZE, allPages } from "#http/all-pages.ts";
import type { Api } from "#http/api.ts";
import { pathOf } from "./projects.ts";

export function apiKeysQuery(api: Api, projectId: string) {
  return queryOptions({
    queryKey: ["projects", projectId, "keys"],
    queryFn: ({ signal }) =>
      allPages((cursor) =>
        api.request({
          part: "observability",
          path: `${pathOf(projectId)}/keys`,
          query: { cursor, limit: PAGE_SIZE },
          answer: apiKeyPageSchema,
          signal,
        }),
      ),
  });
}

/** The answer is not kept in any cache: it is the only one with the key. */
export function createApiKey(
  api: Api,
  projectId: string,
  body: { readonly name: string; readonly scopes: readonly ApiKeyScope[] },
): Promise<CreatedApiKey> {
  return api.request({ part: "observability", method: "POST", path: `${pathOf(projectId)}/keys`, body, answer: createdApiKeySchema });
}

export async function revokeApiKey(api: Api, projectId: string, keyId: string): Promise<void> {
  const path = `${pathOf(projectId)}/keys/${encodeURIComponent(keyId)}`;
  await api.request({ part: "observability", method: "DELETE", path, answer: apiKeySchema });
}

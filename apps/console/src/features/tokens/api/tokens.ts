import {
  type CreateTokenRequest,
  type CreatedToken,
  createdTokenSchema,
  developerTokenSchema,
  pageOf,
} from "@sightline/code-index/contract";
import { queryOptions } from "@tanstack/react-query";
import { z } from "zod";
import { PAGE_SIZE, allPages } from "#http/all-pages.ts";
import type { Api } from "#http/api.ts";

const TOKENS = "/api/v1/developer-tokens";

export function tokensQuery(api: Api) {
  return queryOptions({
    queryKey: ["tokens"],
    queryFn: ({ signal }) =>
      allPages((cursor) =>
        api.request({
          part: "code-index",
          path: TOKENS,
          query: { cursor, limit: PAGE_SIZE },
          answer: pageOf(developerTokenSchema),
          signal,
        }),
      ),
  });
}

export function createToken(api: Api, body: CreateTokenRequest): Promise<CreatedToken> {
  return api.request({ part: "code-index", method: "POST", path: TOKENS, body, answer: createdTokenSchema });
}

export async function revokeToken(api: Api, id: string): Promise<void> {
  await api.request({ part: "code-index", method: "DELETE", path: `${TOKENS}/${encodeURIComponent(id)}`, answer: z.unknown() });
}

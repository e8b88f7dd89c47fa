import { type CreateTokenRequest, createdTokenSchema, developerTokenSchema, toPageSchema } from "@sightline/code-index/contract";
import { queryOptions } from "@tanstack/react-query";
import { codeIndex, encoded } from "#http/calls.ts";
import { readAllPages } from "#http/queries.ts";

const TOKENS = "/api/v1/developer-tokens";

export const tokensQuery = queryOptions({
  queryKey: ["tokens"],
  queryFn: readAllPages(codeIndex.get(TOKENS, { answer: toPageSchema(developerTokenSchema) })),
});

export const createToken = (body: CreateTokenRequest) => codeIndex.post(TOKENS, { body, answer: createdTokenSchema });

export const revokeToken = (id: string) => codeIndex.delete(TOKENS + encoded`/${id}`);

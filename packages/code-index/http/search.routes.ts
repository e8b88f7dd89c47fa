import type { Routes } from "@sightline/foundation/http/http-server";
import { searchAnswerSchema, searchRequestSchema } from "#contract.ts";
import { search, type SearchDependencies } from "#retrieval/search/search.ts";
import { scopeOf } from "#http/kit/request-tenant.ts";
import { whileAwaited } from "#http/kit/while-awaited.ts";

export function searchRoutes(dependencies: SearchDependencies): Routes {
  return (server) => {
    server.get(
      "/api/v1/search",
      {
        config: { auth: "reader" },
        schema: {
          summary: "Places that answer a query, the best first",
          querystring: searchRequestSchema,
          response: { 200: searchAnswerSchema },
        },
      },
      async (request, reply) => search({ ...dependencies, signal: whileAwaited(reply.raw) }, scopeOf(request), request.query),
    );

    server.post(
      "/api/v1/search",
      {
        config: { auth: "reader" },
        schema: { summary: "The same, asked in a body", body: searchRequestSchema, response: { 200: searchAnswerSchema } },
      },
      async (request, reply) => search({ ...dependencies, signal: whileAwaited(reply.raw) }, scopeOf(request), request.body),
    );
  };
}

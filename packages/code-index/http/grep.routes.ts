import type { Routes } from "@sightline/foundation/http/http-server";
import { grepAnswerSchema, grepRequestSchema } from "#contract.ts";
import { grep } from "#retrieval/grep/grep.ts";
import { untilAborted, type CodeIndexDatabase } from "#store/tenancy/tenant.ts";
import { scopeOf } from "#http/kit/request-tenant.ts";
import { whileAwaited } from "#http/kit/while-awaited.ts";

/** Every line that matches a pattern. */
export function grepRoutes({ database }: { readonly database: CodeIndexDatabase }): Routes {
  return (server) => {
    server.get(
      "/api/v1/grep",
      {
        config: { auth: "reader" },
        schema: {
          summary: "Every line that holds a text or matches an expression",
          querystring: grepRequestSchema,
          response: { 200: grepAnswerSchema },
        },
      },
      async (request, reply) => grep({ database: untilAborted(database, whileAwaited(reply.raw)) }, scopeOf(request), request.query),
    );

    server.post(
      "/api/v1/grep",
      {
        config: { auth: "reader" },
        schema: { summary: "The same, asked in a body", body: grepRequestSchema, response: { 200: grepAnswerSchema } },
      },
      async (request, reply) => grep({ database: untilAborted(database, whileAwaited(reply.raw)) }, scopeOf(request), request.body),
    );
  };
}

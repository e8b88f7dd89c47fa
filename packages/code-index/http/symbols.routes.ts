import type { Routes } from "@sightline/foundation/http/http-server";
import { referencesAnswerSchema, referencesRequestSchema, symbolsAnswerSchema, symbolsRequestSchema } from "#contract.ts";
import { findReferences } from "#retrieval/symbols/find-references.ts";
import { findSymbols } from "#retrieval/symbols/find-symbol.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";
import { scopeOf } from "#http/kit/request-tenant.ts";

/** Where names are defined, and where they are used. */
export function symbolRoutes({ database }: { readonly database: CodeIndexDatabase }): Routes {
  return (server) => {
    server.get(
      "/api/v1/symbols",
      {
        config: { auth: "reader" },
        schema: { summary: "Where a name is defined", querystring: symbolsRequestSchema, response: { 200: symbolsAnswerSchema } },
      },
      async (request) => findSymbols(database, scopeOf(request), request.query),
    );

    server.get(
      "/api/v1/references",
      {
        config: { auth: "reader" },
        schema: {
          summary: "Where a name is defined and used",
          querystring: referencesRequestSchema,
          response: { 200: referencesAnswerSchema },
        },
      },
      async (request) => findReferences(database, scopeOf(request), request.query),
    );
  };
}

import type { Routes } from "@sightline/foundation/http/http-server";
import { route } from "@sightline/foundation/http/route";
import {
  searchAnswerSchema,
  searchRequestSchema,
  grepAnswerSchema,
  grepRequestSchema,
  referencesAnswerSchema,
  referencesRequestSchema,
  symbolsAnswerSchema,
  symbolsRequestSchema,
} from "#contract.ts";
import { search, type SearchDependencies } from "#retrieval/search/search.ts";
import { getAccess, whileAwaited } from "#http/kit/request-tenant.ts";
import { grep, type GrepDependencies } from "#retrieval/grep/grep.ts";
import type { NameFinder } from "#splitting/uses/name-finder.ts";
import { untilAborted } from "#store/tenancy/tenant.ts";
import { findReferences } from "#retrieval/symbols/find-references.ts";
import { findSymbols } from "#retrieval/symbols/find-symbol.ts";

export function searchRoutes({
  grepLimit,
  finder,
  ...dependencies
}: SearchDependencies & { readonly grepLimit: GrepDependencies["limit"]; readonly finder: NameFinder }): Routes {
  const { database, memory } = dependencies;
  return (server) => {
    server.get(
      "/api/v1/search",
      route("reader", "Places that answer a query, the best first", {
        querystring: searchRequestSchema,
        response: { 200: searchAnswerSchema },
      }),
      async (request, reply) => search({ ...dependencies, signal: whileAwaited(reply.raw) }, getAccess(request), request.query),
    );

    server.post(
      "/api/v1/search",
      route("reader", "The same, asked in a body", { body: searchRequestSchema, response: { 200: searchAnswerSchema } }),
      async (request, reply) => search({ ...dependencies, signal: whileAwaited(reply.raw) }, getAccess(request), request.body),
    );

    server.get(
      "/api/v1/grep",
      route("reader", "Every line that holds a text or matches an expression", {
        querystring: grepRequestSchema,
        response: { 200: grepAnswerSchema },
      }),
      async (request, reply) =>
        grep({ database: untilAborted(database, whileAwaited(reply.raw)), memory, limit: grepLimit }, getAccess(request), request.query),
    );

    server.post(
      "/api/v1/grep",
      route("reader", "The same, asked in a body", { body: grepRequestSchema, response: { 200: grepAnswerSchema } }),
      async (request, reply) =>
        grep({ database: untilAborted(database, whileAwaited(reply.raw)), memory, limit: grepLimit }, getAccess(request), request.body),
    );

    server.get(
      "/api/v1/symbols",
      route("reader", "Where a name is defined", { querystring: symbolsRequestSchema, response: { 200: symbolsAnswerSchema } }),
      async (request) => findSymbols({ database, finder }, getAccess(request), request.query),
    );

    server.get(
      "/api/v1/references",
      route("reader", "Where a name is defined and used", {
        querystring: referencesRequestSchema,
        response: { 200: referencesAnswerSchema },
      }),
      async (request, reply) =>
        findReferences(
          { database: untilAborted(database, whileAwaited(reply.raw)), memory, limit: grepLimit, finder },
          getAccess(request),
          request.query,
        ),
    );
  };
}

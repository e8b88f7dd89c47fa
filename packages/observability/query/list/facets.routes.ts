import type { HttpServer } from "@sightline/foundation/http/http-server";
import { facetListSchema, facetsRequestSchema, parseTraceQuery } from "#contract.ts";
import { FACET_TRACES, isOfAll, listFacets } from "./facets.store.ts";
import { enterProject, projectParams, type RouteDependencies } from "#query/access/project-route.ts";
import { orTooSlow } from "./trace-query.errors.ts";

export function facetRoutes({ query, clock }: Pick<RouteDependencies, "query" | "clock">) {
  return (server: HttpServer): void => {
    server.get(
      "/api/v1/projects/:project_id/traces/facets",
      {
        config: { auth: "user-or-key" },
        schema: {
          summary: "Values of a field of the query, with how many traces have each",
          params: projectParams,
          querystring: facetsRequestSchema,
          response: { 200: facetListSchema },
        },
      },
      async (request) => {
        const { field, prefix, q = "", sort, limit } = request.query;
        const { reader, projectId } = await enterProject(query, request, "viewer");
        const { terms } = parseTraceQuery(q);
        const items = await listFacets(query, { projectId, reader, field, prefix, terms, now: clock.now(), sort, limit }).catch(
          (error: unknown) => {
            throw orTooSlow(error);
          },
        );
        return { items: items.map((item) => ({ ...item })), looked_at: isOfAll({ field, terms }) ? null : FACET_TRACES };
      },
    );
  };
}

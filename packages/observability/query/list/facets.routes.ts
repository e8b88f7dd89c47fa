import type { Clock } from "@sightline/foundation/clock";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import { z } from "zod";
import { facetListSchema, facetsRequestSchema, parseTraceQuery } from "#contract.ts";
import type { Query } from "#schema.ts";
import { FACET_TRACES, listFacets } from "./facets.store.ts";
import { readerOf } from "#query/access/reader-of.ts";
import { requireRole } from "#query/access/require-role.ts";
import { orBeingCounted } from "./trace-query.errors.ts";

export function facetRoutes({ query, clock }: { readonly query: Query; readonly clock: Clock }) {
  return (server: HttpServer): void => {
    server.get(
      "/api/v1/projects/:project_id/traces/facets",
      {
        config: { auth: "user-or-key" },
        schema: {
          summary: "Values of a field of the query, with how many traces have each",
          params: z.object({ project_id: z.uuid() }),
          querystring: facetsRequestSchema,
          response: { 200: facetListSchema },
        },
      },
      async (request) => {
        const [reader, projectId] = [readerOf(request), request.params.project_id];
        const { field, prefix, q = "", limit } = request.query;
        await requireRole(query, { id: projectId, reader, role: "viewer" });
        const { terms } = parseTraceQuery(q);
        const items = await listFacets(query, { projectId, reader, field, prefix, terms, now: clock.now(), limit }).catch(
          (error: unknown) => {
            throw orBeingCounted(error);
          },
        );
        return { items: items.map((item) => ({ ...item })), looked_at: terms.length === 0 ? null : FACET_TRACES };
      },
    );
  };
}

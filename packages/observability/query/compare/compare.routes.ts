import type { HttpServer } from "@sightline/foundation/http/http-server";
import { z } from "zod";
import { compareRequestSchema, comparisonSchema } from "#contract.ts";
import { readerOf } from "#query/access/reader-of.ts";
import { requireRole } from "#query/access/require-role.ts";
import type { Query } from "#schema.ts";
import { compareTraces } from "./compare-traces.ts";

/** What differed between two runs. */
export function compareRoutes({ query }: { readonly query: Query }) {
  return (server: HttpServer): void => {
    server.get(
      "/api/v1/projects/:project_id/compare",
      {
        config: { auth: "user-or-key" },
        schema: {
          summary: "What differed between two traces: path, values, tokens, cost, latency, code; also by an API key with the scope read",
          params: z.object({ project_id: z.uuid() }),
          querystring: compareRequestSchema,
          response: { 200: comparisonSchema },
        },
      },
      async (request) => {
        const [reader, projectId] = [readerOf(request), request.params.project_id];
        await requireRole(query, { id: projectId, reader, role: "viewer" });
        return compareTraces(query, { ...request.query, reader, projectId });
      },
    );
  };
}

import type { HttpServer } from "@sightline/foundation/http/http-server";
import { compareRequestSchema, comparisonSchema } from "#contract.ts";
import { enterProject, projectParams, type RouteDependencies } from "#query/access/project-route.ts";
import { compareTraces } from "./compare-traces.ts";

/** What differed between two runs. */
export function compareRoutes({ query }: Pick<RouteDependencies, "query">) {
  return (server: HttpServer): void => {
    server.get(
      "/api/v1/projects/:project_id/compare",
      {
        config: { auth: "user-or-key" },
        schema: {
          summary: "What differed between two traces: path, values, tokens, cost, latency, code; also by an API key with the scope read",
          params: projectParams,
          querystring: compareRequestSchema,
          response: { 200: comparisonSchema },
        },
      },
      async (request) => {
        const { reader, projectId } = await enterProject(query, request, "viewer");
        return compareTraces(query, { ...request.query, reader, projectId });
      },
    );
  };
}

import type { HttpServer } from "@sightline/foundation/http/http-server";
import { traceHistogramRequestSchema, traceHistogramSchema } from "#contract.ts";
import { enterProject, projectParams, type RouteDependencies } from "#query/access/project-route.ts";
import { countOverTime } from "./histogram.store.ts";
import { orTooSlow } from "./trace-query.errors.ts";
import { readListTerms } from "./list-terms.ts";

export function histogramRoutes({ query, clock }: Pick<RouteDependencies, "query" | "clock">) {
  return (server: HttpServer): void => {
    server.get(
      "/api/v1/projects/:project_id/traces/histogram",
      {
        config: { auth: "user-or-key" },
        schema: {
          summary: "How many traces a query finds, and how they lie in time",
          params: projectParams,
          querystring: traceHistogramRequestSchema,
          response: { 200: traceHistogramSchema },
        },
      },
      async (request) => {
        const terms = readListTerms(request.query);
        const { reader, projectId } = await enterProject(query, request, "viewer");
        const { total, isCut, barMs, bars } = await countOverTime(query, { projectId, reader, terms, now: clock.now() }).catch(
          (error: unknown) => {
            throw orTooSlow(error);
          },
        );
        return { total, is_cut: isCut, bar_ms: barMs, bars: bars.map(({ at, ...bar }) => ({ at: at.toISOString(), ...bar })) };
      },
    );
  };
}

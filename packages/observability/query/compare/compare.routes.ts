import type { HttpServer } from "@sightline/foundation/http/http-server";
import { compareRequestSchema, compareSetsRequestSchema, comparisonSchema, setComparisonSchema } from "#contract.ts";
import { orTooSlow } from "#query/list/trace-query.errors.ts";
import { readListTerms } from "#query/list/list-terms.ts";
import { enterProject, projectParams, type RouteDependencies } from "#query/access/project-route.ts";
import { compareSets } from "./compare-sets.ts";
import { readTraceSet } from "./read-trace-set.ts";
import { compareTraces } from "./compare-traces.ts";

const HOUR_MS = 3_600_000;

/** What differed between two runs, or between two sets of them. */
export function compareRoutes({ query, clock }: Pick<RouteDependencies, "query" | "clock">) {
  return (server: HttpServer): void => {
    server.get(
      "/api/v1/projects/:project_id/compare",
      {
        config: { auth: "user-or-key" },
        schema: {
          summary:
            "What differed between two traces: steps, values, tokens, cost, latency, commits; also by an API key with the scope read",
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
    server.get(
      "/api/v1/projects/:project_id/compare/sets",
      {
        config: { auth: "user-or-key" },
        schema: {
          summary: "What changed from one set of traces to another: failure rate, percentiles, cost, tokens, steps, and how sure that is",
          params: projectParams,
          querystring: compareSetsRequestSchema,
          response: { 200: setComparisonSchema },
        },
      },
      async (request) => {
        const [ofA, ofB] = [readListTerms({ q: request.query.a }), readListTerms({ q: request.query.b })];
        const project = await enterProject(query, request, "viewer");
        const now = clock.now();
        const from = new Date(now.getTime() - request.query.hours * HOUR_MS);
        const read = (terms: typeof ofA) =>
          readTraceSet(query, { ...project, terms, from, now }).catch((error: unknown) => {
            throw orTooSlow(error);
          });
        return { from: from.toISOString(), ...compareSets(await read(ofA), await read(ofB)) };
      },
    );
  };
}

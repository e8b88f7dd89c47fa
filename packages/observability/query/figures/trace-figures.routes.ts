import type { HttpServer } from "@sightline/foundation/http/http-server";
import { traceFiguresRequestSchema, traceFiguresSchema } from "#contract.ts";
import { enterProject, projectParams, type RouteDependencies } from "#query/access/project-route.ts";
import { orTooSlow } from "#query/list/trace-query.errors.ts";
import { readListTerms } from "#query/list/list-terms.ts";
import { readTraces } from "#query/columns/read-traces.ts";
import { sumUpTraces } from "./sum-up-traces.ts";
import { STEPS, toWholeHours } from "./whole-hours.ts";

/** The newest traces are read, so many at the most. */
const NEWEST = 100_000;

/** Serves figures of the traces that a query finds: what counted hours cannot tell, since those know no users, tags or words. */
export function traceFiguresRoutes({ query, clock }: Pick<RouteDependencies, "query" | "clock">) {
  return (server: HttpServer): void => {
    server.get(
      "/api/v1/projects/:project_id/traces/figures",
      {
        config: { auth: "user-or-key" },
        schema: {
          summary: "Counts, failures, durations, tokens and cost of the traces that a query finds, over time and by any of their fields",
          params: projectParams,
          querystring: traceFiguresRequestSchema,
          response: { 200: traceFiguresSchema },
        },
      },
      async (request) => {
        const { step, q, by, top, groups, ...range } = request.query;
        const { from, to } = toWholeHours({ ...range, step }, clock.now());
        const terms = readListTerms({ q });
        const project = await enterProject(query, request, "viewer");
        const traces = await readTraces(query, { ...project, terms, now: clock.now(), from, to, by, limit: NEWEST }).catch(
          (error: unknown) => {
            throw orTooSlow(error);
          },
        );
        return {
          from: from.toISOString(),
          to: to.toISOString(),
          step,
          is_counting: !traces.isCounted,
          newest: traces.isCut ? NEWEST : null,
          ...sumUpTraces(traces, { stepHours: STEPS[step].hours, top, groups }),
        };
      },
    );
  };
}

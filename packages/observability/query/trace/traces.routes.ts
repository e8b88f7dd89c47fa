import { orRefuse } from "@sightline/foundation/errors";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import { z } from "zod";
import { traceSchema, type Trace } from "#contract.ts";
import type { Reader } from "#store/reader.ts";
import { findTrace } from "#query/steps/traces.store.ts";
import { findTraceContent } from "#query/steps/trace-content.store.ts";
import { findDeclaredGraphs, findGraphEntries } from "#query/graph/graphs.store.ts";
import { countLostEventsOfTrace } from "#query/steps/lost-events.store.ts";
import { traceNotFound } from "#query/access/not-found.errors.ts";
import { presentGraph } from "#query/graph/present-graph.ts";
import { presentTrace } from "#query/steps/present-trace.ts";
import { getReader } from "#query/access/request-reader.ts";
import type { RouteDependencies } from "#query/access/project-route.ts";

const config = { auth: "user" };
/** The auth class below a project, where an API key of that project may read too. */
const projectConfig = { auth: "user-or-key" };
const id = z.uuid();

export function traceRoutes({ query }: Pick<RouteDependencies, "query">) {
  async function load(wanted: { readonly reader: Reader; readonly traceId: string; readonly projectId?: string }): Promise<Trace> {
    const trace = orRefuse(await findTrace(query, wanted), traceNotFound);
    const content = await findTraceContent(query, trace.run);
    const lost = await countLostEventsOfTrace(query, trace.run);
    const graph = presentGraph(trace, content.steps, await findGraphEntries(query, trace.run));
    const declared = await findDeclaredGraphs(query, trace.project_id, graph.hashes);
    return presentTrace(trace, content, { lostEvents: lost, graph: graph.withDeclared(declared) });
  }

  return (server: HttpServer): void => {
    server.get(
      "/api/v1/traces/:trace_id",
      {
        config,
        schema: { summary: "One trace with its steps and its graph", params: z.object({ trace_id: id }), response: { 200: traceSchema } },
      },
      (request) => load({ reader: getReader(request), traceId: request.params.trace_id }),
    );

    server.get(
      "/api/v1/projects/:project_id/traces/:trace_id",
      {
        config: projectConfig,
        schema: {
          summary: "One trace of a project; also by an API key with the scope read",
          params: z.object({ project_id: id, trace_id: id }),
          response: { 200: traceSchema },
        },
      },
      (request) => load({ reader: getReader(request), traceId: request.params.trace_id, projectId: request.params.project_id }),
    );
  };
}

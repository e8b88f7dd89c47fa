import { orRefuse } from "@sightline/foundation/errors";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import { z } from "zod";
import { anyTraceIdSchema, tracePlaceSchema, traceSchema } from "#contract.ts";
import { traceNotFound } from "#query/access/not-found.errors.ts";
import { getReader } from "#query/access/request-reader.ts";
import type { RouteDependencies } from "#query/access/project-route.ts";
import { findTracePlace } from "#query/steps/traces.store.ts";
import { loadTrace } from "./load-trace.ts";

const config = { auth: "user" };
/** The auth class below a project, where an API key of that project may read too. */
const projectConfig = { auth: "user-or-key" };
const id = z.uuid();
const anyTraceParams = z.object({ trace_id: anyTraceIdSchema });

export function traceRoutes({ query }: Pick<RouteDependencies, "query">) {
  return (server: HttpServer): void => {
    server.get(
      "/api/v1/traces/:trace_id",
      {
        config,
        schema: {
          summary: "One trace with its steps and its graph, by its id or OpenTelemetry's",
          params: anyTraceParams,
          response: { 200: traceSchema },
        },
      },
      (request) => loadTrace(query, { reader: getReader(request), traceId: request.params.trace_id }),
    );

    server.get(
      "/api/v1/traces/:trace_id/place",
      {
        config,
        schema: { summary: "Where a trace is, by its id or OpenTelemetry's", params: anyTraceParams, response: { 200: tracePlaceSchema } },
      },
      async (request) =>
        orRefuse(await findTracePlace(query, { reader: getReader(request), traceId: request.params.trace_id }), traceNotFound),
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
      (request) => loadTrace(query, { reader: getReader(request), traceId: request.params.trace_id, projectId: request.params.project_id }),
    );
  };
}

import type { Clock } from "@sightline/foundation/clock";
import type { HttpServer } from "@sightline/foundation/http-server";
import type { Kysely } from "kysely";
import { z } from "zod";
import { listTracesRequestSchema, tracePageSchema, traceSchema, type Trace } from "#contract.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { hasProject } from "#store/projects.store.ts";
import { findTrace, listTraces } from "#store/traces.store.ts";
import { findTraceContent } from "#store/trace-content.store.ts";
import { countLostEvents } from "#store/lost-events.store.ts";
import { positionOf, toPage } from "./cursor.ts";
import { projectNotFound, traceNotFound } from "./not-found.errors.ts";
import { presentTrace, presentTraceSummary } from "./present-trace.ts";
import { tenantOf } from "./tenant.ts";

type TracesOptions = { readonly query: Kysely<ObservabilitySchema>; readonly clock: Clock };

const config = { auth: "user" };
/** Below a project, where an API key of that project may read too. */
const projectConfig = { auth: "user-or-key" };
const id = z.uuid();

export function traceRoutes({ query }: Pick<TracesOptions, "query">) {
  async function load(wanted: { readonly tenantId: string; readonly traceId: string; readonly projectId?: string }): Promise<Trace> {
    const trace = await findTrace(query, wanted);
    if (trace === undefined) {
      throw traceNotFound();
    }
    const [content, lost] = [await findTraceContent(query, trace), await countLostEvents(query, trace.project_id, [trace.id])];
    return presentTrace(trace, content, lost.get(trace.id) ?? 0);
  }

  return (server: HttpServer): void => {
    server.get(
      "/api/v1/projects/:project_id/traces",
      {
        config: projectConfig,
        schema: { params: z.object({ project_id: id }), querystring: listTracesRequestSchema, response: { 200: tracePageSchema } },
      },
      async (request) => {
        const [tenantId, projectId] = [tenantOf(request), request.params.project_id];
        const { cursor, limit, status, name } = request.query;
        const after = positionOf(cursor);
        if (!(await hasProject(query, { id: projectId, tenantId }))) {
          throw projectNotFound();
        }
        const rows = await listTraces(query, { projectId, tenantId, status, name, after, limit: limit + 1 });
        const lost = await countLostEvents(
          query,
          projectId,
          rows.map((row) => row.id),
        );
        return toPage(rows, limit, (row) => presentTraceSummary(row, lost.get(row.id) ?? 0));
      },
    );

    server.get(
      "/api/v1/traces/:trace_id",
      { config, schema: { params: z.object({ trace_id: id }), response: { 200: traceSchema } } },
      (request) => load({ tenantId: tenantOf(request), traceId: request.params.trace_id }),
    );

    server.get(
      "/api/v1/projects/:project_id/traces/:trace_id",
      { config: projectConfig, schema: { params: z.object({ project_id: id, trace_id: id }), response: { 200: traceSchema } } },
      (request) => load({ tenantId: tenantOf(request), traceId: request.params.trace_id, projectId: request.params.project_id }),
    );
  };
}

import { orRefuse } from "@sightline/foundation/errors";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import { z } from "zod";
import {
  listStepsRequestSchema,
  observationSchema,
  payloadRangeRequestSchema,
  payloadRangeSchema,
  stepPageSchema,
  traceDigestSchema,
} from "#contract.ts";
import { findRun, type Run } from "#query/steps/find-run.store.ts";
import { createStepList } from "#query/steps/list-steps.ts";
import { traceNotFound } from "#query/access/not-found.errors.ts";
import { readDigest } from "./read-digest.ts";
import { readObservation, readPayload } from "#query/steps/read-observation.ts";
import { getReader } from "#query/access/request-reader.ts";
import type { RouteDependencies } from "#query/access/project-route.ts";

const config = { auth: "user-or-key" };
const BASE = "/api/v1/projects/:project_id/traces/:trace_id";
const params = z.object({ project_id: z.uuid(), trace_id: z.uuid() });

/** Serves a trace of any size in parts. */
export function tracePartRoutes({ query, clock }: Pick<RouteDependencies, "query" | "clock">) {
  const listSteps = createStepList({ query, clock });

  async function runOf(request: Parameters<typeof getReader>[0], { project_id, trace_id }: z.infer<typeof params>): Promise<Run> {
    return orRefuse(await findRun(query, { reader: getReader(request), projectId: project_id, traceId: trace_id }), traceNotFound);
  }

  return (server: HttpServer): void => {
    server.get(
      `${BASE}/summary`,
      { config, schema: { summary: "A trace without its steps", params, response: { 200: traceDigestSchema } } },
      (request) =>
        readDigest(query, { reader: getReader(request), projectId: request.params.project_id, traceId: request.params.trace_id }),
    );

    server.get(
      `${BASE}/steps`,
      {
        config,
        schema: {
          summary: "Steps of a trace without their values; parents come before their children",
          params,
          querystring: listStepsRequestSchema,
          response: { 200: stepPageSchema },
        },
      },
      async (request) => {
        const { cursor, limit, after_revision: afterRevision } = request.query;
        return listSteps(await runOf(request, request.params), { cursor, limit, afterRevision });
      },
    );

    server.get(
      `${BASE}/observations/:observation_id`,
      {
        config,
        schema: {
          summary: "One step with its values",
          params: params.extend({ observation_id: z.uuid() }),
          response: { 200: observationSchema },
        },
      },
      async (request) => readObservation(query, await runOf(request, request.params), request.params.observation_id),
    );

    server.get(
      `${BASE}/payloads/:payload_id`,
      {
        config,
        schema: {
          summary: "A range of a value that is too long for other answers, as JSON text",
          params: params.extend({ payload_id: z.uuid() }),
          querystring: payloadRangeRequestSchema,
          response: { 200: payloadRangeSchema },
        },
      },
      async (request) => readPayload(query, await runOf(request, request.params), { ...request.query, eventId: request.params.payload_id }),
    );
  };
}

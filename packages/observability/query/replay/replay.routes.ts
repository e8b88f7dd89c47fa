import type { HttpServer } from "@sightline/foundation/http/http-server";
import { z } from "zod";
import { recordingRequestSchema, recordingSchema } from "#contract.ts";
import { refuseBlindJob } from "#query/access/job-limits.ts";
import { getReader } from "#query/access/request-reader.ts";
import type { RouteDependencies } from "#query/access/project-route.ts";
import { readRecording } from "./read-recording.ts";

export function replayRoutes({ query }: Pick<RouteDependencies, "query">) {
  return (server: HttpServer): void => {
    server.get(
      "/api/v1/projects/:project_id/traces/:trace_id/replay",
      {
        config: { auth: "user-or-evaluate" },
        schema: {
          summary: "What answers the calls of a trace that is replayed, or why it can't be; also by an API key with the scope evaluate",
          params: z.object({ project_id: z.uuid(), trace_id: z.uuid() }),
          querystring: recordingRequestSchema,
          response: { 200: recordingSchema },
        },
      },
      (request) => {
        refuseBlindJob(request);
        const { project_id: projectId, trace_id: traceId } = request.params;
        return readRecording(query, { reader: getReader(request), projectId, traceId, from: request.query.from });
      },
    );
  };
}

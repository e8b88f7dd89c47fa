import { orRefuse } from "@sightline/foundation/errors";
import { fromCursor, toCursor } from "@sightline/foundation/cursor";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import { z } from "zod";
import { transcriptPageSchema, transcriptRequestSchema } from "#contract.ts";
import { findTranscriptPayloads, findTranscriptSteps } from "./transcript.store.ts";
import { traceNotFound } from "#query/access/not-found.errors.ts";
import { findRun } from "#query/steps/find-run.store.ts";
import { getReader } from "#query/access/request-reader.ts";
import { presentTranscript } from "./transcript-entries.ts";
import type { RouteDependencies } from "#query/access/project-route.ts";

const id = z.uuid();
const afterSchema = z.tuple([id]);

/** What was said in a trace. */
export function transcriptRoutes({ query }: Pick<RouteDependencies, "query">) {
  return (server: HttpServer): void => {
    server.get(
      "/api/v1/projects/:project_id/traces/:trace_id/transcript",
      {
        config: { auth: "user-or-key" },
        schema: {
          summary: "What was said to models and tools in a trace, and what they said; each message once",
          params: z.object({ project_id: id, trace_id: id }),
          querystring: transcriptRequestSchema,
          response: { 200: transcriptPageSchema },
        },
      },
      async (request) => {
        const { project_id: projectId, trace_id: traceId } = request.params;
        const { cursor, limit } = request.query;
        const [after] = cursor === undefined ? [] : fromCursor(cursor, afterSchema);
        const run = orRefuse(await findRun(query, { reader: getReader(request), projectId, traceId }), traceNotFound);
        const found = await findTranscriptSteps(query, run, { after, limit: limit + 1 });
        const end = found.filter((step) => step.is_before).length + limit;
        const steps = found.slice(0, end);
        const last = steps.at(-1);
        return {
          items: presentTranscript(steps, await findTranscriptPayloads(query, run, steps)),
          next_cursor: found.length > end && last !== undefined ? toCursor([last.id]) : null,
        };
      },
    );
  };
}

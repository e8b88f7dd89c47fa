import type { HttpServer } from "@sightline/foundation/http/http-server";
import { z } from "zod";
import { readLangfuseScore } from "./langfuse-score.ts";
import { senderOf } from "./sender.ts";
import { publishOrRefuse, type StreamPublisher } from "./stream-publisher.ts";

const named = z.object({ id: z.string(), name: z.string() });
const answered = z.object({ data: z.array(named.extend({ organization: named, metadata: z.object({}) })) });

/** More than the largest batch of an SDK. */
const MAX_SENT_BYTES = 4 * 1024 * 1024;
const MAX_SCORES = 1_000;
const scoresSchema = z.union([z.array(z.unknown()).max(MAX_SCORES), z.record(z.string(), z.unknown())]);
const eventSchema = z.object({ id: z.string().max(500), type: z.string(), body: z.unknown() });
const resultSchema = z.object({ id: z.string(), status: z.int(), message: z.string().optional(), error: z.string().optional() });

const NOT_A_SCORE =
  "Only score-create is taken here; traces and observations come by OpenTelemetry, from Langfuse's SDKs since version 3 of Python and 4 of JavaScript.";

/** The addresses of Langfuse that its SDKs call beside OTLP's, in its words: whose a key is, and scores, from Python and from JavaScript. */
export function langfuseRoutes(publisher: Pick<StreamPublisher, "publish">) {
  return (server: HttpServer): void => {
    const config = { auth: "ingest" };
    const whose = { summary: "Langfuse's auth_check(): the project of an API key with the scope ingest", response: { 200: answered } };
    // Of names it says the ids.
    server.get("/api/public/projects", { config, schema: whose }, async (request) => {
      const { projectId, tenantId } = senderOf(request);
      return { data: [{ id: projectId, name: projectId, organization: { id: tenantId, name: tenantId }, metadata: {} }] };
    });

    const errors = z.array(z.object({ message: z.string() }));
    const scores = {
      summary: "Langfuse's create_score(): scores of traces and observations, one for each id",
      body: scoresSchema,
      response: {
        202: z.object({ message: z.literal("Accepted") }),
        207: z.object({ accepted: z.int(), rejected: z.int(), errors }),
      },
    };
    server.post("/api/public/scores", { config, schema: scores, bodyLimit: MAX_SENT_BYTES }, async (request, reply) => {
      const given = Array.isArray(request.body) ? request.body : [request.body];
      const { taken, wrong } = await take(senderOf(request).projectId, given);
      return wrong.length === 0
        ? reply.status(202).send({ message: "Accepted" })
        : reply.status(207).send({ accepted: taken, rejected: wrong.length, errors: wrong.map((message) => ({ message })) });
    });

    const batch = {
      summary: "Langfuse's score.create() of JavaScript, and of older Python: a batch of which scores alone are taken",
      body: z.object({ batch: z.array(eventSchema).max(MAX_SCORES) }),
      response: { 207: z.object({ successes: z.array(resultSchema), errors: z.array(resultSchema) }) },
    };
    server.post("/api/public/ingestion", { config, schema: batch, bodyLimit: MAX_SENT_BYTES }, async (request, reply) => {
      const { projectId } = senderOf(request);
      const results = request.body.batch.map(({ id, type, body }) => ({
        id,
        read: type === "score-create" ? readLangfuseScore(projectId, body) : NOT_A_SCORE,
      }));
      await publishOrRefuse(
        publisher,
        projectId,
        results.flatMap(({ read }) => (typeof read === "string" ? [] : [read])),
      );
      return reply.status(207).send({
        successes: results.flatMap(({ id, read }) => (typeof read === "string" ? [] : [{ id, status: 201 }])),
        errors: results.flatMap(({ id, read }) =>
          typeof read === "string" ? [{ id, status: 400, message: read, error: "BadRequest" }] : [],
        ),
      });
    });
  };

  async function take(projectId: string, given: readonly unknown[]) {
    const read = given.map((score) => readLangfuseScore(projectId, score));
    const events = read.filter((each) => typeof each !== "string");
    await publishOrRefuse(publisher, projectId, events);
    return { taken: events.length, wrong: read.filter((each) => typeof each === "string") };
  }
}

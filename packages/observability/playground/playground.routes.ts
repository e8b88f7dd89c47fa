import { Readable } from "node:stream";
import { orRefuse, refusal } from "@sightline/foundation/errors";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import { streamedAnswer } from "@sightline/foundation/http/streamed-answer";
import { playgroundRequestSchema } from "#contract.ts";
import { connectionNotFound } from "#models/connections.errors.ts";
import { findConnection } from "#models/connections.store.ts";
import { enterProject, projectParams } from "#query/access/project-route.ts";
import { toAuthor } from "#query/access/request-reader.ts";
import { runCall, type Playground } from "./run-call.ts";

/** Calls of a project that one replica makes at once. */
const MAX_CALLS = 8;

/** Model calls that people try, answered as the model answers. */
export function playgroundRoutes(playground: Playground) {
  const { query, access } = playground;
  const running = new Map<string, number>();
  const count = (projectId: string, change: 1 | -1) => running.set(projectId, (running.get(projectId) ?? 0) + change);
  const schema = {
    summary: "Try a model call; the answer comes as server-sent events",
    params: projectParams,
    body: playgroundRequestSchema,
    response: { 200: streamedAnswer("text/event-stream", "Parts of the answer, and at last what became of the call") },
  };
  return (server: HttpServer): void => {
    server.post(
      "/api/v1/projects/:project_id/playground",
      { config: { auth: "user" }, bodyLimit: 8 * 1024 * 1024, schema },
      async (request, reply) => {
        const project = await enterProject(query, request, "editor");
        const { projectId } = project;
        const connection = orRefuse(await findConnection(query, { ...project, id: request.body.connection_id }), connectionNotFound);
        if ((running.get(projectId) ?? 0) >= MAX_CALLS) {
          throw refusal(429, "too_many_calls", `The project has ${MAX_CALLS} calls on their way; wait for one of them.`);
        }
        const stopping = new AbortController();
        count(projectId, 1);
        // Whoever has left waits for no answer.
        reply.raw.once("close", () => {
          count(projectId, -1);
          stopping.abort();
        });
        const open = () => access.open(connection, request.body.model);
        const call = { projectId, author: toAuthor(project.reader), asked: request.body, open, signal: stopping.signal };
        const answer = Readable.from(await runCall(playground, call));
        return reply.headers({ "content-type": "text/event-stream", "cache-control": "no-store" }).send(answer);
      },
    );
  };
}

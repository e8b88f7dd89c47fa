import { z } from "zod";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import { ownerOf } from "@sightline/foundation/http/principal";
import { clientOf } from "#audit/client.ts";
import { revokedSessionsSchema, sessionsSchema } from "#contract.ts";
import { listOwnSessions, revokeOtherSessions, revokeOwnSession, type OwnSessionsDependencies } from "./own-sessions.ts";

/** Where a user is logged in, and how to end it. */
export function ownSessionsRoutes(dependencies: OwnSessionsDependencies) {
  return (server: HttpServer): void => {
    server.addHook("onRequest", async (_request, reply) => void reply.header("cache-control", "no-store"));

    server.get(
      "/login/sessions",
      {
        config: { auth: "session" },
        schema: { summary: "Your sessions; the one that asks is marked", tags: ["session"], response: { 200: sessionsSchema } },
      },
      async (request) => ({ sessions: await listOwnSessions(dependencies, ownerOf(request)) }),
    );

    server.delete(
      "/login/sessions/:id",
      {
        config: { auth: "session" },
        schema: {
          summary: "End one of your sessions",
          tags: ["session"],
          params: z.object({ id: z.uuid() }),
          response: { 204: z.null() },
        },
      },
      async (request, reply) => {
        await revokeOwnSession(dependencies, ownerOf(request), request.params.id, clientOf(request));
        return reply.status(204).send(null);
      },
    );

    server.delete(
      "/login/sessions",
      {
        config: { auth: "session" },
        schema: {
          summary: "End all your other sessions, and logins that wait for their second step",
          tags: ["session"],
          response: { 200: revokedSessionsSchema },
        },
      },
      async (request) => ({ revoked: await revokeOtherSessions(dependencies, ownerOf(request), clientOf(request)) }),
    );
  };
}

import { z } from "zod";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import { routesTagged } from "@sightline/foundation/http/route";
import { AppError } from "@sightline/foundation/errors";
import { getCaller, getClient } from "#audit/client.ts";
import { fullSessionSchema, revokedSessionsSchema, sessionsSchema } from "#contract.ts";
import type { TokenCookie } from "./cookies.ts";
import type { Sessions } from "./sessions.ts";
import type { KnownDevices } from "./known-devices.ts";
import type { CredentialEpochFeed } from "./credential-epochs.ts";
import { getOwner } from "@sightline/foundation/http/principal";
import { listOwnSessions, revokeOtherSessions, revokeOwnSession, type OwnSessionsDependencies } from "./own-sessions.ts";

const route = routesTagged("session");
const feedRoute = routesTagged("keys");

type Dependencies = { readonly sessions: Sessions; readonly cookie: TokenCookie };

/** Serves what the refresh cookie alone opens. */
export function sessionRoutes({ sessions, cookie }: Dependencies) {
  return (server: HttpServer): void => {
    server.post(
      "/login/refresh",
      route("same-origin", "A new access token by the refresh cookie", { response: { 200: fullSessionSchema } }),
      async (request, reply) => {
        try {
          const grant = await sessions.refresh(cookie.read(request), getClient(request));
          cookie.set(reply, grant.refreshToken, grant.refreshMaxAgeSeconds);
          return grant.answer;
        } catch (error) {
          if (error instanceof AppError) {
            cookie.clear(reply);
          }
          throw error;
        }
      },
    );

    server.post(
      "/logout",
      route("same-origin", "Ends the session of the refresh cookie", { response: { 204: z.null() } }),
      async (request, reply) => {
        await sessions.end(cookie.read(request), getClient(request));
        cookie.clear(reply);
        return reply.status(204).send(null);
      },
    );
  };
}

const CACHE_SECONDS = 5;

export function credentialEpochsRoutes(feed: CredentialEpochFeed) {
  return (server: HttpServer): void => {
    server.get(
      "/.well-known/credential-epochs",
      feedRoute("public", "Which access tokens stopped to count before their time: a JWS by the signing key", {
        response: { 200: { description: "A compact JWS.", content: { "application/jwt": { schema: z.string() } } } },
      }),
      async (_request, reply) => {
        const signed = await feed.current();
        reply.header("cache-control", `public, max-age=${CACHE_SECONDS}`).type("application/jwt");
        return signed;
      },
    );
  };
}

/** Serves the user's own sessions: where one is logged in, and how to end it. */
export function ownSessionsRoutes(dependencies: OwnSessionsDependencies & { readonly devices: KnownDevices }) {
  return (server: HttpServer): void => {
    server.get(
      "/login/sessions",
      route("session", "Your sessions; the one that asks is marked", { response: { 200: sessionsSchema } }),
      async (request) => ({ sessions: await listOwnSessions(dependencies, getOwner(request)) }),
    );

    server.delete(
      "/login/sessions/:id",
      route("session", "End one of your sessions", { params: z.object({ id: z.uuid() }), response: { 204: z.null() } }),
      async (request, reply) => {
        await revokeOwnSession(dependencies, getCaller(request), request.params.id);
        return reply.status(204).send(null);
      },
    );

    server.delete(
      "/login/sessions",
      route("session", "End all your other sessions, and logins that wait for their second step", {
        response: { 200: revokedSessionsSchema },
      }),
      async (request) => ({
        revoked: await revokeOtherSessions(dependencies, getCaller(request), dependencies.devices.presented(request)),
      }),
    );
  };
}

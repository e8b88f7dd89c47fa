import { z } from "zod";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import { AppError } from "@sightline/foundation/errors";
import { clientOf } from "#audit/client.ts";
import { fullSessionSchema } from "#contract.ts";
import type { RefreshCookie } from "./refresh-cookie.ts";
import type { Sessions } from "./sessions.ts";

type Dependencies = { readonly sessions: Sessions; readonly cookie: RefreshCookie };

/** What the refresh cookie alone opens. */
export function sessionRoutes({ sessions, cookie }: Dependencies) {
  return (server: HttpServer): void => {
    server.addHook("onRequest", async (_request, reply) => void reply.header("cache-control", "no-store"));

    server.post(
      "/login/refresh",
      {
        config: { auth: "same-origin" },
        schema: { summary: "A new access token by the refresh cookie", tags: ["session"], response: { 200: fullSessionSchema } },
      },
      async (request, reply) => {
        try {
          const grant = await sessions.refresh(cookie.read(request), clientOf(request));
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
      {
        config: { auth: "same-origin" },
        schema: { summary: "Ends the session of the refresh cookie", tags: ["session"], response: { 204: z.null() } },
      },
      async (request, reply) => {
        await sessions.end(cookie.read(request), clientOf(request));
        cookie.clear(reply);
        return reply.status(204).send(null);
      },
    );
  };
}

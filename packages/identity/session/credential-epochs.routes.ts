import { z } from "zod";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import type { CredentialEpochFeed } from "./credential-epochs.ts";

const CACHE_SECONDS = 5;

export function credentialEpochsRoutes(feed: CredentialEpochFeed) {
  return (server: HttpServer): void => {
    server.get(
      "/.well-known/credential-epochs",
      {
        config: { auth: "public" },
        schema: {
          summary: "Which access tokens stopped to count before their time: a JWS by the signing key",
          tags: ["keys"],
          produces: ["application/jwt"],
          response: { 200: z.string() },
        },
      },
      async (_request, reply) => {
        const signed = await feed.current();
        reply.header("cache-control", `public, max-age=${CACHE_SECONDS}`).type("application/jwt");
        return signed;
      },
    );
  };
}

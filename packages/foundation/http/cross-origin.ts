import type { FastifyInstance } from "fastify";

const ALLOWED_METHODS = "GET, POST, PUT, PATCH, DELETE";
const ALLOWED_HEADERS = "authorization, content-type, x-api-key";
const PREFLIGHT_SECONDS = "600";

/**
 * Lets browsers call from the listed origins and no others; matched as a whole, never by pattern.
 * Registered before the guard of the routes, since a browser's preflight carries no credential.
 */
export function allowOrigins(server: Pick<FastifyInstance, "addHook">, origins: readonly string[]): void {
  if (origins.length === 0) {
    return;
  }
  server.addHook("onRequest", async (request, reply) => {
    const { origin } = request.headers;
    reply.header("vary", "Origin");
    if (origin === undefined || !origins.includes(origin)) {
      return;
    }
    reply.headers({
      "access-control-allow-origin": origin,
      "access-control-allow-credentials": "true",
      "access-control-expose-headers": "x-request-id",
    });
    if (request.method === "OPTIONS" && request.headers["access-control-request-method"] !== undefined) {
      reply.headers({
        "access-control-allow-methods": ALLOWED_METHODS,
        "access-control-allow-headers": ALLOWED_HEADERS,
        "access-control-max-age": PREFLIGHT_SECONDS,
      });
      await reply.status(204).send();
    }
  });
}

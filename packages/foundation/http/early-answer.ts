import type { IncomingMessage } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";

/** Announced bodies of up to this length are taken and forgotten, and their connection goes on. */
const MAX_FORGOTTEN_BYTES = 64 * 1024;

/**
 * Ends the connection behind an answer that comes before the request's body. What still comes is read and forgotten, within the time that
 * a request has: were the connection closed with it unread, whoever is still sending would see it break before the answer.
 */
export function endEarlyAnswer({ raw }: FastifyRequest, reply: FastifyReply): void {
  // A request that was injected has no socket of its own.
  if (raw.complete || raw.socket.destroySoon === undefined || !hasBody(raw)) {
    return;
  }
  // Behind the answer, since a proxy may still pass the body on.
  reply.raw.once("finish", () => raw.unpipe().resume());
  if (!(Number(raw.headers["content-length"]) <= MAX_FORGOTTEN_BYTES)) {
    reply.header("connection", "close");
    // Node would close both directions at once; requestTimeout ends what the client leaves open.
    raw.socket.destroySoon = () => void raw.socket.end();
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

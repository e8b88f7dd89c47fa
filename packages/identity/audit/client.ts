import type { FastifyRequest } from "fastify";

/** Where a request came from, as the audit and the list of sessions tell it. */
export type Client = { readonly ip: string; readonly userAgent: string | undefined };

const USER_AGENT_LENGTH = 512;

export function clientOf(request: FastifyRequest): Client {
  return { ip: request.ip, userAgent: request.headers["user-agent"]?.slice(0, USER_AGENT_LENGTH) };
}

import { isIP, type Socket } from "node:net";
import type { FastifyRequest } from "fastify";
import { getOwner, type Owner } from "@sightline/foundation/http/principal";

/** The origin of a request, as the audit and the list of sessions show it. */
export type Client = {
  readonly ip: string;
  readonly userAgent: string | undefined;
  /** Aborted once the connection is gone and nobody waits for an answer. */
  readonly left?: AbortSignal;
};

const USER_AGENT_LENGTH = 512;

export function getClient(request: FastifyRequest): Client {
  return {
    ip: clientAddress(request),
    userAgent: request.headers["user-agent"]?.slice(0, USER_AGENT_LENGTH),
    left: connectionSignal(request.raw.socket),
  };
}

/** Somebody with a session, and where the request came from. */
export type Caller = Owner & { readonly client: Client };

export function getCaller(request: FastifyRequest): Caller {
  return { ...getOwner(request), client: getClient(request) };
}

/** The fields of an audit row about what somebody did to their own account. */
export function ownAction({ userId, tenantId, sessionId, client }: Caller, at: Date) {
  return { at, userId, actorId: userId, tenantId, sessionId, client };
}

const WITH_PORT = /^\[?(.+?)\]?(?::\d+)?$/;

/** Some proxies append a port, which differs for each connection. When a proxy sends no address, the proxy's own is used. */
function clientAddress({ ip, raw }: FastifyRequest): string {
  const [, address = ""] = isIP(ip) === 0 ? (WITH_PORT.exec(ip) ?? []) : [ip, ip];
  return isIP(address) === 0 ? (raw.socket.remoteAddress ?? "") : address;
}

const ends = new WeakMap<Socket, AbortSignal>();

/** Follows the connection, because Fastify's own signal of a request is aborted as soon as the request's body was read. */
function connectionSignal(socket: Socket): AbortSignal {
  const known = ends.get(socket);
  if (known !== undefined) {
    return known;
  }
  const controller = new AbortController();
  socket.once("close", () => controller.abort());
  ends.set(socket, controller.signal);
  return controller.signal;
}

import type { FastifyReply, FastifyRequest } from "fastify";

export type RefreshCookie = {
  readonly name: string;
  readonly read: (request: FastifyRequest) => string | undefined;
  readonly set: (reply: FastifyReply, token: string, maxAgeSeconds: number) => void;
  readonly clear: (reply: FastifyReply) => void;
};

/**
 * Over TLS and on the machine itself the cookie carries the prefix `__Host-` and `Secure`: browsers trust loopback
 * addresses without TLS. On any other plain http address they would drop such a cookie, so there it has neither.
 */
export function createRefreshCookie(publicUrl: string): RefreshCookie {
  const secure = keepsSecureCookies(publicUrl);
  const name = secure ? "__Host-sightline_refresh" : "sightline_refresh";
  const flags = { path: "/", httpOnly: true, sameSite: "lax", secure } as const;
  return {
    name,
    read: (request) => request.cookies[name],
    set: (reply, token, maxAgeSeconds) => void reply.setCookie(name, token, { ...flags, maxAge: maxAgeSeconds }),
    clear: (reply) => void reply.setCookie(name, "", { ...flags, maxAge: 0 }),
  };
}

export function keepsSecureCookies(publicUrl: string): boolean {
  const { protocol, hostname } = new URL(publicUrl);
  return protocol === "https:" || isLoopback(hostname);
}

function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname.endsWith(".localhost") || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);
}

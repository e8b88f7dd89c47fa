import type { FastifyReply, FastifyRequest } from "fastify";

/** A cookie that carries a token of ours. */
export type TokenCookie = ReturnType<typeof createTokenCookie>;

/** Carries the refresh token. `lax`, so that a link from elsewhere into the console finds the session. */
export function createRefreshCookie(publicUrl: string): TokenCookie {
  return createTokenCookie(publicUrl, "sightline_refresh", "lax");
}

/**
 * Carries the setup ticket, so that a reloaded page can still finish with `{code}` alone. It opens nothing by itself: the
 * route that reads it asks for an access token of the same session as well, which no other site can make a browser send.
 */
export function createSetupCookie(publicUrl: string): TokenCookie {
  return createTokenCookie(publicUrl, "sightline_2fa_setup", "strict");
}

/** Binds a sign-in by a company's provider to the browser that began it; read by a page of our own, once that is back. */
export function createAttemptCookie(publicUrl: string): TokenCookie {
  return createTokenCookie(publicUrl, "sightline_sso", "strict");
}

/**
 * Over TLS and on the machine itself the cookie has the prefix `__Host-` and `Secure`: browsers trust loopback addresses
 * without TLS. On any other plain http address they would drop such a cookie, so there it has neither. `__Host-` demands
 * the path `/`; behind the console's proxy the routes' own path would be another one anyway.
 */
export function createTokenCookie(publicUrl: string, bareName: string, sameSite: "lax" | "strict") {
  const secure = keepsSecureCookies(publicUrl);
  const name = secure ? `__Host-${bareName}` : bareName;
  const flags = { path: "/", httpOnly: true, sameSite, secure } as const;
  return {
    read: (request: FastifyRequest) => request.cookies[name],
    set: (reply: FastifyReply, token: string, maxAgeSeconds: number) =>
      void reply.setCookie(name, token, { ...flags, maxAge: maxAgeSeconds }),
    clear: (reply: FastifyReply) => void reply.setCookie(name, "", { ...flags, maxAge: 0 }),
  };
}

export function keepsSecureCookies(publicUrl: string): boolean {
  const { protocol, hostname } = new URL(publicUrl);
  return protocol === "https:" || isLoopback(hostname);
}

function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname.endsWith(".localhost") || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);
}

import type { FastifyReply, FastifyRequest } from "fastify";
import { keepsSecureCookies } from "#session/refresh-cookie.ts";

export type SetupCookie = {
  readonly read: (request: FastifyRequest) => string | undefined;
  readonly set: (reply: FastifyReply, token: string, maxAgeSeconds: number) => void;
  readonly clear: (reply: FastifyReply) => void;
};

/**
 * Carries the setup ticket, so that a reloaded page can still finish with `{code}` alone. It opens nothing by itself: the
 * route that reads it asks for an access token of the same session as well, which no other site can make a browser send.
 * `__Host-` asks for the path `/`; behind the console's proxy the routes' own path would be another one anyway.
 */
export function createSetupCookie(publicUrl: string): SetupCookie {
  const secure = keepsSecureCookies(publicUrl);
  const name = secure ? "__Host-sightline_2fa_setup" : "sightline_2fa_setup";
  const flags = { path: "/", httpOnly: true, sameSite: "strict", secure } as const;
  return {
    read: (request) => request.cookies[name],
    set: (reply, token, maxAgeSeconds) => void reply.setCookie(name, token, { ...flags, maxAge: maxAgeSeconds }),
    clear: (reply) => void reply.setCookie(name, "", { ...flags, maxAge: 0 }),
  };
}

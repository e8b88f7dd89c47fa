import type { Authenticator } from "@sightline/foundation/http/http-server";
import { refusal } from "#refusals.ts";

/**
 * Guards routes that read or set the refresh cookie against other sites. Browsers say themselves where a request comes
 * from (`Sec-Fetch-Site` on trustworthy addresses, `Origin` everywhere); what sends neither is no browser and has no
 * cookie that someone else could make it use.
 */
export function createSameOriginCheck(origins: readonly string[]): Authenticator {
  const allowed = new Set(origins.map((origin) => new URL(origin).origin));
  return async (request) => {
    const { origin } = request.headers;
    const site = request.headers["sec-fetch-site"];
    if (site === "same-origin" || (origin === undefined ? site === undefined || site === "none" : allowed.has(origin))) {
      return;
    }
    throw refusal("cross_origin");
  };
}

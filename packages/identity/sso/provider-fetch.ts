import type { CustomFetch } from "openid-client";
import { findAddresses } from "@sightline/foundation/outbound/addresses";
import { isAllowed, type AllowedHosts } from "@sightline/foundation/outbound/allowed-hosts";
import { send } from "@sightline/foundation/outbound/send";

/** Descriptions, keys and claims are short, lists of groups less so. */
const MAX_BYTES = 512 * 1024;
const TIMEOUT_MS = 10_000;

/** A provider that was not reached, or not allowed to be; its cause says why. */
export class UnreachableProviderError extends Error {
  override readonly name = "UnreachableProviderError";
}

/** A provider that is asked without TLS, and is at no address where the operator takes that. */
export class PlainHttpError extends Error {
  override readonly name = "PlainHttpError";
}

/**
 * How a provider is asked: the address is looked up once, checked, and connected to as it was found; no redirect is followed. Whoever
 * names a provider must not get into the operator's network by it. What the operator allows may be there, and without TLS.
 */
export function createProviderFetch(allowed: AllowedHosts): CustomFetch {
  return async (address, { method, headers, body, signal }) => {
    const url = new URL(address);
    const limit = AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), ...(signal === undefined ? [] : [signal])]);
    try {
      const mayReach = isAllowed(allowed, url.hostname.replace(/^\[(.*)\]$/, "$1"));
      const addresses = await findAddresses({ host: url.hostname, mayReach, signal: limit });
      const [found] = addresses;
      if (found === undefined) {
        throw new Error("the name has no address");
      }
      if (url.protocol !== "https:" && !addresses.every(mayReach)) {
        throw new PlainHttpError("without TLS only hosts of IDENTITY_ALLOW_PRIVATE_HOSTS are asked");
      }
      const text = body instanceof URLSearchParams ? body.toString() : undefined;
      const answer = await send({
        method: method === "POST" ? "POST" : "GET",
        url,
        address: found,
        headers,
        ...(text === undefined ? {} : { body: text }),
        maxBytes: MAX_BYTES,
        signal: limit,
      });
      const responseHeaders = Object.entries(answer.headers).flatMap(([name, value]) =>
        typeof value === "string" ? [[name, value] as [string, string]] : [],
      );
      return new Response([204, 304].includes(answer.status) ? null : answer.text, { status: answer.status, headers: responseHeaders });
    } catch (error) {
      throw new UnreachableProviderError(`${url.host} was not reached`, { cause: error });
    }
  };
}

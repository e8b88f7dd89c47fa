import { findAddresses } from "./addresses.ts";
import { isAllowed, type AllowedHosts } from "./allowed-hosts.ts";
import { openAnswer, readUpTo } from "./send.ts";

/** Somebody is asked without TLS, and is at no address where the operator takes that. */
export class PlainHttpError extends Error {
  override readonly name = "PlainHttpError";
}

type Guarding = {
  /** What the operator allows may be in a private network, and without TLS. */
  readonly allowed: AllowedHosts;
  /** The variable that says so, for messages. */
  readonly variable: string;
  /** Bytes of an answer at the most. */
  readonly maxBytes: number;
  readonly timeoutMs: number;
};

type Init = {
  readonly method?: string | undefined;
  readonly headers?: RequestInit["headers"];
  readonly body?: unknown;
  readonly signal?: AbortSignal | null | undefined;
};

/**
 * A `fetch` for libraries that ask at addresses which somebody entered: the name is looked up once, checked, and connected to as it was found; no
 * redirect is followed. Bodies are texts or forms.
 *
 * @throws {RefusedAddressError} @throws {PlainHttpError} and whatever the connection throws.
 */
export function createGuardedFetch({ allowed, variable, maxBytes, timeoutMs }: Guarding) {
  return async (address: string | URL | Request, { method, headers, body, signal }: Init = {}): Promise<Response> => {
    const url = new URL(address instanceof Request ? address.url : address);
    const limit = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]);
    const mayReach = isAllowed(allowed, url.hostname.replace(/^\[(.*)\]$/, "$1"));
    const addresses = await findAddresses({ host: url.hostname, mayReach, signal: limit });
    const [found] = addresses;
    if (found === undefined) {
      throw new Error("the name has no address");
    }
    if (url.protocol !== "https:" && !addresses.every(mayReach)) {
      throw new PlainHttpError(`without TLS only hosts of ${variable} are asked`);
    }
    const text = typeof body === "string" || body instanceof URLSearchParams ? String(body) : undefined;
    const answer = await openAnswer({
      method: method === "POST" ? "POST" : "GET",
      url,
      address: found,
      headers: Object.fromEntries(new Headers(headers)),
      ...(text === undefined ? {} : { body: text }),
      signal: limit,
    });
    const answered = Object.entries(answer.headers).flatMap(([name, value]) =>
      typeof value === "string" ? [[name, value] as [string, string]] : [],
    );
    const { statusCode: status = 0 } = answer;
    const content = [204, 304].includes(status) ? null : ReadableStream.from(readUpTo(answer, maxBytes));
    return new Response(content, { status, headers: answered });
  };
}

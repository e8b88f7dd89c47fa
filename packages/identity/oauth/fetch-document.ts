import { findAddresses } from "@sightline/foundation/outbound/addresses";
import { send } from "@sightline/foundation/outbound/send";

export type FetchDocument = (url: URL, signal: AbortSignal) => Promise<Response>;

/** An app's description of itself is short. */
export const DOCUMENT_BYTES = 64 * 1024;

/**
 * Fetches what an app says of itself at the address that is its name. Whoever names one must not get into a private network by it: the
 * address is looked up once, checked, and connected to as it was found. No redirect is followed.
 */
export async function fetchDocument(url: URL, signal: AbortSignal): Promise<Response> {
  if (url.protocol !== "https:") {
    throw new Error("only https addresses are fetched");
  }
  const [address] = await findAddresses({ host: url.hostname, mayReach: () => false, signal });
  if (address === undefined) {
    throw new Error(`${url.hostname} has no address`);
  }
  const { status, headers, text } = await send({
    method: "GET",
    url,
    address,
    headers: { accept: "application/json" },
    maxBytes: DOCUMENT_BYTES,
    signal,
  });
  const cacheHeaders = ["cache-control", "expires"].flatMap((name) =>
    typeof headers[name] === "string" ? [[name, headers[name]] as [string, string]] : [],
  );
  return new Response(status === 204 || status === 304 ? null : text, { status, headers: cacheHeaders });
}

type Here = { readonly protocol: string; readonly hostname: string };

const LOOPBACK: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

/**
 * An address that Sightline gives for itself, as it is reached from here: one that names
 * its own machine to somebody on another is on the host that serves this page, at the same port.
 */
export function reachableAddress(here: Here, advertised: string): string {
  if (!URL.canParse(advertised)) {
    return advertised;
  }
  const address = new URL(advertised);
  if (!LOOPBACK.has(address.hostname) || LOOPBACK.has(here.hostname)) {
    return advertised;
  }
  return `${here.protocol}//${here.hostname}:${address.port}${address.pathname}`;
}

import { redisAddresses } from "#redis-addresses.ts";

/**
 * Formats an address for display: `…@` replaces user and password. The nodes of a Redis Cluster stay separated by commas.
 */
export function withoutUserInfo(url: string): string {
  const nodes = redisAddresses(url);
  const [whole = ""] = nodes.length > 0 ? nodes : [url];
  if (!URL.canParse(whole)) {
    return "";
  }
  const { protocol, host, pathname, username, password } = new URL(whole);
  const hosts = nodes.length > 1 ? nodes.map((node) => new URL(node).host).join(",") : host;
  return `${protocol}//${username === "" && password === "" ? "" : "…@"}${hosts}${pathname}`;
}

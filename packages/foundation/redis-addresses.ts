/**
 * The addresses of a Redis, each a whole one: a single one of one server, several of a Redis Cluster, whose nodes are separated by
 * commas (`redis://user:password@a:7000,b:7000,c:7000`). Empty when `text` is no address.
 */
export function redisAddresses(text: string): readonly string[] {
  const [, before = "", hosts = "", after = ""] = /^((?:rediss?|unix):\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/is.exec(text) ?? [];
  const addresses = before === "" ? [] : hosts.split(",").map((host) => `${before}${host.trim()}${after}`);
  const isWhole = (address: string) => URL.canParse(address) && (addresses.length === 1 || new URL(address).hostname !== "");
  return addresses.every(isWhole) ? addresses : [];
}

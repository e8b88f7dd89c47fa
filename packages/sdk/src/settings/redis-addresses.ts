/** The nodes that a URL names, each by a whole URL; their hosts are separated by commas. */
export function addressesOf(redisUrl: string): readonly string[] {
  const [, before = "", hosts = "", after = ""] = /^(rediss?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/is.exec(redisUrl) ?? [];
  return hosts.split(",").map((host) => `${before}${host.trim()}${after}`);
}

/** Whether the text is the address of a Redis, or of several nodes of a Redis Cluster. */
export function isRedisUrl(text: string): boolean {
  const addresses = addressesOf(text);
  const isWhole = (address: string) => URL.canParse(address) && (addresses.length === 1 || new URL(address).hostname !== "");
  return /^rediss?:\/\//i.test(text) && addresses.every(isWhole);
}

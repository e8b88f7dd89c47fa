import { isIPv6 } from "node:net";

/** The subscriber that an address stands for: an IPv6 subscriber has a /64, within which addresses are free. */
export function toNetwork(ip: string): string {
  return prefixOf(ip, 4);
}

/** The place that an address stands for: whoever has a /48 of IPv6, as a company does, has 65,536 networks. */
export function toSite(ip: string): string {
  return prefixOf(ip, 3);
}

function prefixOf(ip: string, groupCount: number): string {
  const embedded = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1];
  if (embedded !== undefined) {
    return embedded;
  }
  if (!isIPv6(ip)) {
    return ip;
  }
  const [head = "", tail] = (ip.split("%")[0] ?? "").toLowerCase().split("::");
  const groups = head === "" ? [] : head.split(":");
  const end = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? [] : Array.from({ length: Math.max(8 - groups.length - end.length, 0) }, () => "0");
  const prefix = [...groups, ...zeros, ...end].slice(0, groupCount).map((group) => Number.parseInt(group, 16).toString(16));
  return `${prefix.join(":")}::/${groupCount * 16}`;
}

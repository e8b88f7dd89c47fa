import { BlockList, isIPv4, isIPv6 } from "node:net";

/** Of IPv4, what is nobody's on the internet (RFC 6890 and successors); Azure's metadata has a public address. */
const CLOSED: readonly (readonly [string, number])[] = [
  ["0.0.0.0", 8],
  ["100.64.0.0", 10],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
  ["168.63.129.16", 32],
];
const PRIVATE: readonly (readonly [string, number])[] = [
  ["10.0.0.0", 8],
  ["127.0.0.0", 8],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
];
/** Of a link, where the metadata of clouds is. */
const LINK: readonly (readonly [string, number])[] = [["169.254.0.0", 16]];
/** Of IPv6 only what is given to networks; of that not what is documentation, or leads on to an IPv4 address. */
const CLOSED_IPV6: readonly (readonly [string, number])[] = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
];

const closed = listOf([...CLOSED, ...LINK], "ipv4");
const privateNetworks = listOf(PRIVATE, "ipv4");
const unicast = listOf([["2000::", 3]], "ipv6");
const closedIpv6 = listOf(CLOSED_IPV6, "ipv6");
const privateIpv6 = listOf(
  [
    ["::1", 128],
    ["fc00::", 7],
  ],
  "ipv6",
);

/** Whether alerts may be sent there; with `allowPrivate` also to this machine and to private networks, never to a link's addresses. */
export function mayBeSentTo(address: string, { allowPrivate }: { readonly allowPrivate: boolean }): boolean {
  if (isIPv4(address)) {
    return !closed.check(address, "ipv4") && (allowPrivate || !privateNetworks.check(address, "ipv4"));
  }
  if (!isIPv6(address)) {
    return false;
  }
  const isPublic = unicast.check(address, "ipv6") && !closedIpv6.check(address, "ipv6");
  return isPublic || (allowPrivate && privateIpv6.check(address, "ipv6"));
}

function listOf(ranges: readonly (readonly [string, number])[], family: "ipv4" | "ipv6"): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of ranges) {
    list.addSubnet(network, prefix, family);
  }
  return list;
}

import { lookup } from "node:dns/promises";
import { isIP, isIPv4, isIPv6 } from "node:net";
import ipaddr from "ipaddr.js";
import { raceAbort } from "#deadline.ts";

type AddressQuery = {
  /** A name or an address, with or without the brackets of a URL. */
  readonly host: string;
  /** Whether an address that is not public is reached all the same. */
  readonly mayReach: (address: string) => boolean;
  readonly signal: AbortSignal;
};

/** Somebody's private network, this machine, or a cloud's metadata: whoever enters an address must not get there by it. */
export class RefusedAddressError extends Error {
  override readonly name = "RefusedAddressError";
}

/**
 * The addresses of a host. Whoever connects must use these and not look the name up again: its next answer may be another.
 *
 * @throws {RefusedAddressError} when any of them is neither public nor one that may be reached.
 */
export async function findAddresses({ host, mayReach, signal }: AddressQuery): Promise<readonly string[]> {
  const name = host.replace(/^\[(.*)\]$/, "$1");
  const found = isIP(name) === 0 ? await raceAbort(lookup(name, { all: true }), signal) : [{ address: name }];
  const addresses = found.map(({ address }) => address);
  if (!addresses.every((address) => isPublicAddress(address) || mayReach(address))) {
    throw new RefusedAddressError(`${host} is in a private network`);
  }
  return addresses;
}

/** Azure's metadata has a public address. */
const METADATA = ["168.63.129.16"];

const GLOBAL_UNICAST: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse("2000::"), 3];

/** A gateway to IPv4 (RFC 6052): the last four bytes say to whom. The ranges for use within a network are not this one. */
const NAT64: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse("64:ff9b::"), 96];

/** Whether an address is somebody's on the internet; one that holds an IPv4 address is what that one is. */
export function isPublicAddress(text: string): boolean {
  const address = readAddress(text);
  if (address === undefined) {
    return false;
  }
  if (address instanceof ipaddr.IPv4) {
    return address.range() === "unicast" && !METADATA.includes(address.toString());
  }
  if (address.match(NAT64)) {
    return isPublicAddress(ipaddr.fromByteArray(address.toByteArray().slice(12)).toString());
  }
  return address.range() === "unicast" && address.match(GLOBAL_UNICAST);
}

/** Whether an address is this machine's or in a private network: never one of a link, where clouds have their metadata. */
export function isPrivateAddress(text: string): boolean {
  return ["private", "loopback", "uniqueLocal"].includes(readAddress(text)?.range() ?? "");
}

/** An address of IPv4 that is written as one of IPv6 is read as what it is. A zone says only which link it is reached by. */
export function readAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const address = text.replace(/%.*$/, "");
  if (isIPv4(address)) {
    return ipaddr.IPv4.parse(address);
  }
  // Written in one way first: the library takes `::8.8.8.8` for `::ffff:8.8.8.8`.
  return isIPv6(address) ? ipaddr.process(new URL(`http://[${address}]`).hostname.slice(1, -1)) : undefined;
}

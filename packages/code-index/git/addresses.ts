import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { SourceError } from "./source-error.ts";

/** Names, addresses and ranges whose addresses may be private: `git.example.org`, `*.corp.example`, `10.0.0.0/8`. */
export type AllowedHosts = readonly string[];

type Asked = {
  /** A name or an address, without brackets. */
  readonly host: string;
  readonly allowed: AllowedHosts;
  readonly signal: AbortSignal;
};

const LOOKUP_MS = 15_000;

/**
 * The addresses of a host. Whoever connects must use these and not look the name up again: its next answer may be another.
 *
 * @throws {SourceError} `address_refused` when any of them is not public and not allowed: a registered repository must
 * not become a way into the operator's network or to a cloud's metadata.
 */
export async function findAddresses({ host, allowed, signal }: Asked): Promise<readonly string[]> {
  const found = isIP(host) === 0 ? await lookUp(host, signal) : [host];
  if (!allowed.some((entry) => isNameOf(entry, host))) {
    const refused = found.find((address) => !isPublic(address) && !allowed.some((entry) => holds(entry, address)));
    if (refused !== undefined) {
      throw new SourceError(
        `${host} is in a private network, where no repository is fetched from unless CODEINDEX_ALLOW_PRIVATE_HOSTS allows it.`,
        { transient: false, problem: "address_refused" },
      );
    }
  }
  return found;
}

/** Whether an entry of `CODEINDEX_ALLOW_PRIVATE_HOSTS` is a name, an address or a range. */
export function isAllowedHost(entry: string): boolean {
  return isRange(entry) || ipaddr.isValid(entry) || /^(\*\.)?[a-z0-9_]([a-z0-9_.-]*[a-z0-9])?$/i.test(entry);
}

async function lookUp(host: string, signal: AbortSignal): Promise<readonly string[]> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(LOOKUP_MS)]);
  const ended = Promise.withResolvers<never>();
  const end = () =>
    ended.reject(signal.aborted ? signal.reason : new SourceError(`The name ${host} was not found in time.`, { transient: true }));
  limit.addEventListener("abort", end, { once: true });
  try {
    const answers = await Promise.race([lookup(host, { all: true }), ended.promise]);
    return answers.map(({ address }) => address);
  } catch (error) {
    if (error instanceof Error && "code" in error && typeof error.code === "string") {
      throw new SourceError(`The host ${host} was not found (${error.code}).`, { transient: true, cause: error });
    }
    throw error;
  } finally {
    limit.removeEventListener("abort", end);
  }
}

/** Azure's metadata has a public address. */
const METADATA = ["168.63.129.16"];

const GLOBAL_UNICAST: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse("2000::"), 3];

function isPublic(text: string): boolean {
  const address = ipaddr.process(withoutZone(text));
  if (address.kind() === "ipv4") {
    return address.range() === "unicast" && !METADATA.includes(address.toString());
  }
  if (address.range() === "rfc6052") {
    // A gateway to IPv4, where the last four bytes say to whom.
    return isPublic(ipaddr.fromByteArray(address.toByteArray().slice(12)).toString());
  }
  return address.range() === "unicast" && address.match(GLOBAL_UNICAST);
}

function isNameOf(entry: string, host: string): boolean {
  const [name, asked] = [entry.toLowerCase(), host.toLowerCase().replace(/\.$/, "")];
  return name.startsWith("*.") ? asked.endsWith(name.slice(1)) : name === asked;
}

function holds(entry: string, text: string): boolean {
  const address = ipaddr.process(withoutZone(text));
  if (ipaddr.isValid(entry)) {
    return ipaddr.process(entry).toString() === address.toString();
  }
  if (!isRange(entry)) {
    return false;
  }
  const range = ipaddr.parseCIDR(entry);
  return range[0].kind() === address.kind() && address.match(range);
}

/** ipaddr.js takes `1` for an address, too. */
function isRange(entry: string): boolean {
  return entry.includes("/") && ipaddr.isValidCIDR(entry);
}

function withoutZone(address: string): string {
  return address.replace(/%.*$/, "");
}

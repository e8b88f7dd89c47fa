import { codeOf } from "@sightline/foundation/errors";
import * as outbound from "@sightline/foundation/outbound/addresses";
import ipaddr from "ipaddr.js";
import { SourceError } from "./source-error.ts";

/** Names, addresses and ranges whose addresses may be private: `git.example.org`, `*.corp.example`, `10.0.0.0/8`. */
export type AllowedHosts = readonly string[];

type Asked = {
  /** A name or an address. */
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
  const isAllowedName = allowed.some((entry) => isNameOf(entry, host));
  const limit = AbortSignal.any([signal, AbortSignal.timeout(LOOKUP_MS)]);
  try {
    const mayReach = (address: string) => isAllowedName || allowed.some((entry) => holds(entry, address));
    return await outbound.findAddresses({ host, mayReach, signal: limit });
  } catch (error) {
    signal.throwIfAborted();
    throw failureOf(error, host, limit);
  }
}

function failureOf(error: unknown, host: string, { aborted }: AbortSignal): unknown {
  if (error instanceof outbound.RefusedAddressError) {
    return new SourceError(
      `${host} is in a private network, where no repository is fetched from unless CODEINDEX_ALLOW_PRIVATE_HOSTS allows it.`,
      { transient: false, problem: "address_refused" },
    );
  }
  if (aborted) {
    return new SourceError(`The name ${host} was not found in time.`, { transient: true });
  }
  const code = codeOf(error);
  return code === undefined ? error : new SourceError(`The host ${host} was not found (${code}).`, { transient: true, cause: error });
}

/** Whether an entry of `CODEINDEX_ALLOW_PRIVATE_HOSTS` is a name, an address or a range. */
export function isAllowedHost(entry: string): boolean {
  return isRange(entry) || ipaddr.isValid(entry) || /^(\*\.)?[a-z0-9_]([a-z0-9_.-]*[a-z0-9])?$/i.test(entry);
}

function isNameOf(entry: string, host: string): boolean {
  const [name, asked] = [entry.toLowerCase(), host.toLowerCase().replace(/\.$/, "")];
  return name.startsWith("*.") ? asked.endsWith(name.slice(1)) : name === asked;
}

function holds(entry: string, text: string): boolean {
  const address = outbound.readAddress(text);
  if (address === undefined) {
    return false;
  }
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

import { errorCode } from "@sightline/foundation/errors";
import * as outbound from "@sightline/foundation/outbound/addresses";
import { isAllowed, type AllowedHosts } from "@sightline/foundation/outbound/allowed-hosts";
import { SourceError } from "./source-error.ts";

type AddressQuery = {
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
export async function findAddresses({ host, allowed, signal }: AddressQuery): Promise<readonly string[]> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(LOOKUP_MS)]);
  try {
    return await outbound.findAddresses({ host, mayReach: isAllowed(allowed, host), signal: limit });
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
  const code = errorCode(error);
  return code === undefined ? error : new SourceError(`The host ${host} was not found (${code}).`, { transient: true, cause: error });
}

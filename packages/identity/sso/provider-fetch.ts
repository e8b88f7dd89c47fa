import type { CustomFetch } from "openid-client";
import type { AllowedHosts } from "@sightline/foundation/outbound/allowed-hosts";
import { createGuardedFetch } from "@sightline/foundation/outbound/guarded-fetch";

/** Descriptions, keys and claims are short, lists of groups less so. */
const MAX_BYTES = 512 * 1024;
const TIMEOUT_MS = 10_000;

/** A provider that was not reached, or not allowed to be; its cause says why. */
export class UnreachableProviderError extends Error {
  override readonly name = "UnreachableProviderError";
}

/** How a provider is asked: whoever names one must not get into the operator's network by it. */
export function createProviderFetch(allowed: AllowedHosts): CustomFetch {
  const ask = createGuardedFetch({ allowed, variable: "IDENTITY_ALLOW_PRIVATE_HOSTS", maxBytes: MAX_BYTES, timeoutMs: TIMEOUT_MS });
  return async (address, options) =>
    ask(address, options).catch((error: unknown) => {
      throw new UnreachableProviderError(`${new URL(address).host} was not reached`, { cause: error });
    });
}

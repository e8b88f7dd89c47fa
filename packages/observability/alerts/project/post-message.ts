import { findAddresses, isPrivateAddress, RefusedAddressError } from "@sightline/foundation/outbound/addresses";
import { post } from "@sightline/foundation/outbound/post";

type Message = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly allowPrivate: boolean;
  readonly limitMs?: number;
};

const LIMIT_MS = 5_000;

/** Why a message did not arrive. It may be shown and logged: nothing of the address or of the answer is in it. */
export class DeliveryError extends Error {
  override readonly name = "DeliveryError";
}

/**
 * Posts JSON. What the receiver says is not read, but for its status; it is not followed anywhere.
 *
 * @throws {DeliveryError} when the receiver did not take it.
 */
export async function postMessage({ url, headers, body, allowPrivate, limitMs = LIMIT_MS }: Message): Promise<void> {
  const target = new URL(url);
  if (target.protocol !== "https:" && !(target.protocol === "http:" && allowPrivate)) {
    throw new DeliveryError("Only https addresses are sent to.");
  }
  const limit = AbortSignal.timeout(limitMs);
  try {
    const mayReach = (found: string) => allowPrivate && isPrivateAddress(found);
    const [address = target.hostname] = await findAddresses({ host: target.hostname, mayReach, signal: limit });
    const { status } = await post({ url: target, address, headers, body, maxBytes: 0, signal: limit });
    if (status < 200 || status > 299) {
      throw new DeliveryError(
        status >= 300 && status < 400
          ? `It answered ${status}; alerts do not follow redirects. Enter the address that it leads to.`
          : `It answered ${status}.`,
      );
    }
  } catch (error) {
    if (error instanceof DeliveryError) {
      throw error;
    }
    if (error instanceof RefusedAddressError) {
      throw new DeliveryError(
        "Its address is in a private network, where no alert is sent to unless OBSERVABILITY_ALLOW_PRIVATE_WEBHOOKS allows it.",
      );
    }
    throw new DeliveryError(limit.aborted ? `No answer within ${limitMs / 1_000} s.` : `It could not be reached (${codeOf(error)}).`);
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "failed";
}

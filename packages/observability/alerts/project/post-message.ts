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
 * Finds the address that a channel's messages are sent to, and refuses one that the operator does not allow.
 *
 * @returns one that was checked: whoever connects must not look the name up again.
 * @throws {DeliveryError} when nothing may be sent there.
 */
async function findReceiver(url: URL, allowPrivate: boolean, signal: AbortSignal): Promise<string> {
  if (url.protocol !== "https:" && !(url.protocol === "http:" && allowPrivate)) {
    throw new DeliveryError("Alerts are sent to https addresses only, unless OBSERVABILITY_ALLOW_PRIVATE_WEBHOOKS allows others.");
  }
  try {
    const mayReach = (found: string) => allowPrivate && isPrivateAddress(found);
    const [address = url.hostname] = await findAddresses({ host: url.hostname, mayReach, signal });
    return address;
  } catch (error) {
    throw error instanceof RefusedAddressError ? new DeliveryError(allowPrivate ? NEVER : NOT_ALLOWED) : error;
  }
}

const NOT_ALLOWED = "Its address is in a private network, where no alert is sent to unless OBSERVABILITY_ALLOW_PRIVATE_WEBHOOKS allows it.";
const NEVER = "Its address is neither public nor in a private network, as that of a cloud's metadata is not; no alert is ever sent there.";

/**
 * Posts JSON. What the receiver says is not read, but for its status; it is not followed anywhere.
 *
 * @throws {DeliveryError} when the receiver did not take it.
 */
export async function postMessage({ url, headers, body, allowPrivate, limitMs = LIMIT_MS }: Message): Promise<void> {
  const target = new URL(url);
  const limit = AbortSignal.timeout(limitMs);
  try {
    const address = await findReceiver(target, allowPrivate, limit);
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
    throw new DeliveryError(limit.aborted ? `No answer within ${limitMs / 1_000} s.` : `It could not be reached (${codeOf(error)}).`);
  }
}

/**
 * Why nothing would ever be sent to an address. One whose name can't be looked up now is not refused: it may be known later.
 */
export async function findRefusal(url: URL, allowPrivate: boolean): Promise<string | undefined> {
  try {
    await findReceiver(url, allowPrivate, AbortSignal.timeout(LIMIT_MS));
    return undefined;
  } catch (error) {
    return error instanceof DeliveryError ? error.message : undefined;
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "failed";
}

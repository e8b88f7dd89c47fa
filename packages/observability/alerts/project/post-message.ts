import { lookup } from "node:dns/promises";
import { request as requestHttp, type RequestOptions } from "node:http";
import { request as requestHttps } from "node:https";
import { isIP } from "node:net";
import { mayBeSentTo } from "./public-address.ts";

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
  const { protocol, hostname } = new URL(url);
  if (protocol !== "https:" && !(protocol === "http:" && allowPrivate)) {
    throw new DeliveryError("Only https addresses are sent to.");
  }
  const limit = AbortSignal.timeout(limitMs);
  try {
    const address = await findAddress(hostname.replace(/^\[(.*)\]$/, "$1"), { allowPrivate, limit });
    const status = await send(url, { address, headers, body, limit });
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

/** Whoever connects uses this one and does not look the name up again: its next answer may be another. */
async function findAddress(
  host: string,
  { allowPrivate, limit }: { readonly allowPrivate: boolean; readonly limit: AbortSignal },
): Promise<string> {
  const found = isIP(host) === 0 ? (await untilAborted(lookup(host, { all: true }), limit)).map(({ address }) => address) : [host];
  const [first] = found;
  if (first === undefined || !found.every((address) => mayBeSentTo(address, { allowPrivate }))) {
    throw new DeliveryError("Its address is in a private network, where no alert is sent to.");
  }
  return first;
}

async function untilAborted<Result>(promise: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

type Sending = Pick<Message, "headers" | "body"> & { readonly address: string; readonly limit: AbortSignal };

function send(url: string, { address, headers, body, limit }: Sending): Promise<number> {
  const options: RequestOptions = {
    method: "POST",
    headers: { ...headers, "content-type": "application/json", "content-length": Buffer.byteLength(body), "user-agent": "sightline" },
    lookup: (_name, { all }, found) => {
      const family = isIP(address);
      if (all === true) {
        found(null, [{ address, family }]);
      } else {
        found(null, address, family);
      }
    },
    agent: false,
    signal: limit,
  };
  return new Promise((resolve, reject) => {
    const sent = (url.startsWith("https:") ? requestHttps : requestHttp)(url, options, (answer) => {
      resolve(answer.statusCode ?? 0);
      answer.destroy();
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "failed";
}

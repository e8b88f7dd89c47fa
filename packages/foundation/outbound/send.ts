import { request as requestHttp, type IncomingHttpHeaders, type IncomingMessage, type RequestOptions } from "node:http";
import { request as requestHttps } from "node:https";
import { isIP } from "node:net";
import { text } from "node:stream/consumers";

export type OutgoingRequest = {
  readonly method: "GET" | "POST";
  readonly url: URL;
  /** The one that was found and checked (addresses.ts). Without it the name is looked up, which is for addresses of the operator's. */
  readonly address?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Bytes of an answer at the most; 0 where it is not read. */
  readonly maxBytes: number;
  /** Its deadline, too. */
  readonly signal: AbortSignal;
};

export type Answer = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly text: string };

export class TooLongAnswerError extends Error {
  override readonly name = "TooLongAnswerError";
}

/** Sends a request to an address that was checked, and follows no redirect. */
export async function send(request: OutgoingRequest): Promise<Answer> {
  const answer = await openAnswer(request);
  const { statusCode: status = 0, headers } = answer;
  if (request.maxBytes === 0) {
    answer.destroy();
    return { status, headers, text: "" };
  }
  return { status, headers, text: await text(readUpTo(answer, request.maxBytes)) };
}

/** Does the same, for whoever reads the body as it comes. */
export async function openAnswer({
  method,
  url,
  address,
  headers,
  body,
  signal,
}: Omit<OutgoingRequest, "maxBytes">): Promise<IncomingMessage> {
  const options: RequestOptions = {
    method,
    headers: { ...headers, "user-agent": "sightline" },
    // A connection that is kept might lead elsewhere than to the address.
    ...(address === undefined ? {} : { lookup: pinnedLookup(address), agent: false }),
    signal,
  };
  return new Promise((resolve, reject) => {
    const sent = (url.protocol === "https:" ? requestHttps : requestHttp)(url, options, resolve);
    sent.on("error", reject);
    sent.end(body);
  });
}

/** @throws {TooLongAnswerError} */
export async function* readUpTo(answer: IncomingMessage, maxBytes: number): AsyncGenerator<Buffer, void> {
  let bytes = 0;
  for await (const part of answer as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > maxBytes) {
      throw new TooLongAnswerError("the answer is too long");
    }
    yield part;
  }
}

function pinnedLookup(address: string): NonNullable<RequestOptions["lookup"]> {
  const family = isIP(address);
  return (_name, { all }, found) => (all === true ? found(null, [{ address, family }]) : found(null, address, family));
}

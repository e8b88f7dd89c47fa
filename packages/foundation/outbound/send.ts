import { request as requestHttp, type IncomingHttpHeaders, type RequestOptions } from "node:http";
import { request as requestHttps } from "node:https";
import { isIP } from "node:net";

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
export async function send({ method, url, address, headers, body, maxBytes, signal }: OutgoingRequest): Promise<Answer> {
  const options: RequestOptions = {
    method,
    headers: { ...headers, "user-agent": "sightline" },
    // A connection that is kept might lead elsewhere than to the address.
    ...(address === undefined ? {} : { lookup: pinnedLookup(address), agent: false }),
    signal,
  };
  return new Promise((resolve, reject) => {
    const sent = (url.protocol === "https:" ? requestHttps : requestHttp)(url, options, (answer) => {
      const { statusCode: status = 0, headers: said } = answer;
      if (maxBytes === 0) {
        resolve({ status, headers: said, text: "" });
        answer.destroy();
        return;
      }
      const parts: Buffer[] = [];
      let bytes = 0;
      answer.on("data", (part: Buffer) => {
        bytes += part.length;
        parts.push(part);
        if (bytes > maxBytes) {
          answer.destroy(new TooLongAnswerError("the answer is too long"));
        }
      });
      answer.on("error", reject);
      answer.on("end", () => resolve({ status, headers: said, text: Buffer.concat(parts).toString() }));
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

function pinnedLookup(address: string): NonNullable<RequestOptions["lookup"]> {
  const family = isIP(address);
  return (_name, { all }, found) => (all === true ? found(null, [{ address, family }]) : found(null, address, family));
}

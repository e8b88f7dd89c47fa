import { request } from "node:https";
import { isIP } from "node:net";
import { findAddresses, type AllowedHosts } from "#git/addresses.ts";
import { SourceError } from "#git/source-error.ts";

type Posting = {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly allowPrivateHosts: AllowedHosts;
  readonly signal: AbortSignal;
};

export type JsonAnswer = {
  readonly status: number;
  /** `undefined` when it is no JSON. */
  readonly body: unknown;
};

const LIMIT_MS = 20_000;
const LONGEST_ANSWER = 1_048_576;

/**
 * Posts to an https address that may not lead into the operator's network, and follows no redirect.
 *
 * @throws {SourceError} when there is no answer.
 */
export async function postJson({ url, headers, body, allowPrivateHosts, signal }: Posting): Promise<JsonAnswer> {
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const [address = host] = await findAddresses({ host, allowed: allowPrivateHosts, signal });
  const content = JSON.stringify(body);
  const limited = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]);
  try {
    return await new Promise<JsonAnswer>((resolve, reject) => {
      const sent = request(
        url,
        {
          method: "POST",
          headers: {
            ...headers,
            "content-type": "application/json",
            "content-length": Buffer.byteLength(content),
            "user-agent": "sightline",
          },
          // The name was looked up and its addresses checked; the next answer may be another.
          lookup: (_name, options, found) => {
            const family = isIP(address);
            if (options.all === true) {
              found(null, [{ address, family }]);
            } else {
              found(null, address, family);
            }
          },
          agent: false,
          signal: limited,
        },
        (answer) => {
          const parts: Buffer[] = [];
          let length = 0;
          answer.on("data", (part: Buffer) => {
            length += part.length;
            parts.push(part);
            if (length > LONGEST_ANSWER) {
              sent.destroy(new Error("the answer is too long"));
            }
          });
          answer.on("error", reject);
          answer.on("end", () => resolve({ status: answer.statusCode ?? 0, body: parse(Buffer.concat(parts).toString("utf8")) }));
        },
      );
      sent.on("error", reject);
      sent.end(content);
    });
  } catch (error) {
    signal.throwIfAborted();
    const reason = limited.aborted ? `no answer within ${LIMIT_MS / 1_000} s` : error instanceof Error ? error.message : String(error);
    throw new SourceError(`${url.host} could not be asked: ${reason}`, { transient: true, fromRemote: true, cause: error });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

import { errorMessage } from "@sightline/foundation/errors";
import { post, TooLongAnswerError, type Answer } from "@sightline/foundation/outbound/post";
import { EmbedderError } from "./embedder.ts";

export type ProviderCall = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
};

type Posting = {
  readonly call: ProviderCall;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Never to be seen in a message, wherever the provider repeats it. */
  readonly secrets: readonly string[];
};

/** The provider answered that what it was sent is wrong: maybe one text of many. */
export class BadInputError extends EmbedderError {}

/** The request may have been too much at once: it took too long, or the provider broke down over it. */
export class OverloadedError extends EmbedderError {}

/** There was no answer in time, and another try would take as long. */
export class NoAnswerError extends OverloadedError {}

/** What `call` is answered, as parsed JSON. A redirect is not followed: the key and the code are for this address alone. */
export async function postJson({ call, timeoutMs, signal, secrets }: Posting): Promise<unknown> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const host = new URL(call.url).host;
  try {
    const answer = await post({
      url: new URL(call.url),
      headers: { accept: "application/json", ...call.headers },
      body: JSON.stringify(call.body),
      maxBytes: MAX_ANSWER_BYTES,
      signal: AbortSignal.any([signal, timeout]),
    });
    if (answer.status >= 200 && answer.status < 300) {
      return parse(answer.text, host);
    }
    throw refusal(answer, { host, reply: shown(providerMessage(answer.text), secrets) });
  } catch (error) {
    if (error instanceof EmbedderError) {
      throw error;
    }
    signal.throwIfAborted();
    if (error instanceof TooLongAnswerError) {
      throw new EmbedderError("the provider's answer is over 64 MiB", { transient: false });
    }
    if (timeout.aborted) {
      throw new NoAnswerError(`${host} did not answer within ${timeoutMs / 1000} s`, { transient: true });
    }
    throw new EmbedderError(`${host} can't be reached: ${shown(networkReason(error), secrets)}`, { transient: true });
  }
}

/** More than any batch's vectors take. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

function parse(text: string, host: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new OverloadedError(`${host} answered something other than JSON`, { transient: true });
  }
}

const BAD_INPUT = new Set([400, 413, 422]);
const LATER = new Set([408, 409, 425, 429]);

function refusal({ status, headers }: Answer, { host, reply }: { readonly host: string; readonly reply: string }): EmbedderError {
  const message = `${host} answered ${status}${reply === "" ? "" : `: ${reply}`}`;
  if (BAD_INPUT.has(status)) {
    return new BadInputError(message, { transient: false });
  }
  const retryAfterMs = retryAfter(headers["retry-after"]);
  if (LATER.has(status)) {
    return new EmbedderError(message, { transient: true, retryAfterMs });
  }
  return status >= 500 ? new OverloadedError(message, { transient: true, retryAfterMs }) : new EmbedderError(message, { transient: false });
}

/** Seconds, or a date. */
function retryAfter(header: string | undefined): number | undefined {
  if (header === undefined) {
    return undefined;
  }
  const milliseconds = /^\d+(\.\d+)?$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(milliseconds) ? undefined : Math.max(0, milliseconds);
}

/** The sentence in an error's body: `{error: {message}}` of OpenAI and Google, `{error}` of Ollama and TEI, `{detail}`, `{message}`. */
function providerMessage(text: string): string {
  let reply: unknown = text;
  try {
    reply = JSON.parse(text);
  } catch {
    // Not JSON, so it is the message itself, or a proxy's page.
  }
  for (let depth = 0; depth < 4 && typeof reply === "object" && reply !== null; depth++) {
    const fields: Readonly<Record<string, unknown>> = Array.isArray(reply) ? { message: reply[0] } : { ...reply };
    reply = fields["error"] ?? fields["message"] ?? fields["detail"] ?? fields["msg"] ?? "";
  }
  return typeof reply === "string" ? reply.replaceAll(/<[^>]*>/g, " ") : "";
}

/** Characters of a message that are kept. */
const MESSAGE = 500;

/** What looks like a key, also one that was masked in the middle. */
const KEY_LIKE = /\b(?:sk-|ya29\.|AIza|eyJ)[\w.*-]{4,}/g;

/** Without secrets first: a key that is cut off is not recognised. */
function shown(text: string, secrets: readonly string[]): string {
  const hidden = secrets.filter((secret) => secret !== "").reduce((hiding, secret) => hiding.replaceAll(secret, "…"), text);
  return hidden
    .replaceAll(KEY_LIKE, "…")
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim()
    .slice(0, MESSAGE)
    .toWellFormed();
}

function networkReason(error: unknown): string {
  return errorMessage(error) === "" ? "the connection broke" : errorMessage(error);
}

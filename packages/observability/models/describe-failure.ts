import { errorCode } from "@sightline/foundation/errors";
import { RefusedAddressError } from "@sightline/foundation/outbound/addresses";
import { PlainHttpError } from "@sightline/foundation/outbound/guarded-fetch";
import { TooLongAnswerError } from "@sightline/foundation/outbound/post";
import { SealError } from "@sightline/foundation/secrets/sealing";
import { APICallError } from "ai";

export type ModelFailure = {
  /** What is wrong and what to do. It may be shown: nothing of the key is in it. */
  readonly problem: string;
  readonly isRetryable: boolean;
  /** How long the server asked to be left alone, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  /** Whether nobody can have computed anything for it, so that it costs nothing. */
  readonly isFree: boolean;
};

const MAX_TOLD = 200;
const MAX_RETRY_AFTER_MS = 3_600_000;

/** Connections that never were: nothing was sent. */
const NOT_SENT: Readonly<Record<string, string>> = {
  ENOTFOUND: "The name of its address is not found: correct the address, or the name server.",
  EAI_AGAIN: "The name of its address can't be looked up now: the name server does not answer.",
  ECONNREFUSED: "Nothing listens at its address: correct host and port, or start the server.",
  EHOSTUNREACH: "Its address can't be reached from here.",
  ENETUNREACH: "Its address can't be reached from here.",
};
const NOT_ALLOWED = "Its address is in a private network, where no model is asked unless OBSERVABILITY_ALLOW_MODEL_HOSTS names its host.";
const REFUSED = "It refuses the request: the model may take no structured output, no temperature, or fewer tokens";
const REFUSED_KEY = "It refuses the key: enter one that is valid and may use the model";
const WITHOUT_TLS = "Its address has no TLS (https), which only hosts of OBSERVABILITY_ALLOW_MODEL_HOSTS may lack.";

/** What a failed call says to people, and whether to try once more. */
export function describeFailure(error: unknown, now: number): ModelFailure {
  const found = chainOf(error);
  const is = (kind: abstract new (...args: never[]) => Error) => found.some((each) => each instanceof kind);
  // A library may say of an answer that broke off that it can't be read.
  if (is(TooLongAnswerError)) {
    return { problem: "Its answer is too long.", isRetryable: true, isFree: false };
  }
  if (found.some(({ name }) => name === "TimeoutError" || name === "AbortError")) {
    return { problem: "It did not answer in time.", isRetryable: true, isFree: false };
  }
  const answered = found.find((each) => APICallError.isInstance(each) && each.statusCode !== undefined);
  if (APICallError.isInstance(answered) && answered.statusCode !== undefined) {
    return describeStatus(answered, answered.statusCode, now);
  }
  const seal = found.find((each) => each instanceof SealError);
  const never = seal?.message ?? (is(RefusedAddressError) ? NOT_ALLOWED : is(PlainHttpError) ? WITHOUT_TLS : undefined);
  if (never !== undefined) {
    return { problem: never, isRetryable: false, isFree: true };
  }
  const codes = found.flatMap((each) => errorCode(each) ?? []);
  const notSent = codes.flatMap((code) => NOT_SENT[code] ?? [])[0];
  if (notSent !== undefined) {
    return { problem: notSent, isRetryable: true, isFree: true };
  }
  const problem = `The connection failed (${codes[0] ?? "no answer that is read"}).`;
  return { problem, isRetryable: true, isFree: false };
}

function describeStatus(error: APICallError, status: number, now: number): ModelFailure {
  const said = error.data === undefined ? "" : ` It says: ${error.message.slice(0, MAX_TOLD).toWellFormed().replaceAll("\0", "�")}`;
  const isRetryable = status === 408 || status === 409 || status === 429 || status >= 500;
  const after = isRetryable ? readRetryAfter(error.responseHeaders ?? {}, now) : undefined;
  return { problem: `${explain(status)} (${status}).${said}`, isRetryable, retryAfterMs: after, isFree: status < 200 || status > 299 };
}

/** By the least status that each is of. */
const EXPLAINED: readonly (readonly [status: number, explanation: string])[] = [
  [500, "It has an error of its own"],
  [430, REFUSED],
  [429, "It is asked too often, or the account's limit is reached"],
  [414, REFUSED],
  [413, "The prompt is too long for it: give less in the variables"],
  [405, REFUSED],
  [404, "It knows no such model, or the address is not that of its API: correct the model's name, or the address"],
  [403, REFUSED_KEY],
  [402, "The account has no credit"],
  [401, REFUSED_KEY],
  [400, REFUSED],
  [300, "It sends the request elsewhere, which is not followed: enter the address that it leads to"],
  [0, "It answered what is no answer of this provider's: the address may be of something else"],
];

const explain = (status: number) => EXPLAINED.find(([least]) => status >= least)?.[1] ?? REFUSED;

/** Seconds, or a date. */
function readRetryAfter(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const text = headers["retry-after"];
  const ms = text === undefined ? Number.NaN : /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now;
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS) : undefined;
}

function chainOf(error: unknown): readonly Error[] {
  const found: Error[] = [];
  for (let each = error; each instanceof Error && found.length < 10; each = each.cause) {
    found.push(each);
  }
  return found;
}

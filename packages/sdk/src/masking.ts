/** Which part of an event a payload is, for a mask function that treats them differently. */
export type PayloadField = "input" | "output" | "error" | "reasoning" | "parameters" | "result" | "attributes" | "usage";

/**
 * Replaces what must not leave the process. It gets a bounded copy of the payload, never the application's own object, after secret
 * keys were masked. When it throws or returns a promise, the whole payload is withheld.
 */
export type MaskFunction = (payload: unknown, field: PayloadField) => unknown;

export const MASKED = "[masked]";
export const WITHHELD = "[withheld: the mask function failed]";

const SECRET_WORDS =
  /(?:^|_)(?:password|passwords|passwd|pwd|passphrase|secret|secrets|api_?keys?|authorization|cookies?|credentials?|private_?key|access_?key|client_?secret|signing_?key|encryption_?key|bearer|otp|ssn)(?:_|$)|(?:^|_)(?:auth_?)?tokens?$|^auth$/;

/** Anything quoted that looks like the key of JSON text, with a value of text or number; a text that was cut ends without a quote. */
const JSON_ENTRY = /(\\?")([\w.-]{2,64})(\\?"\s*:\s*)("(?:[^"\\]|\\.)*(?:"|\\?$)|\\"(?:[^"\\]|\\[^"])*(?:\\"|\\?$)|-?\d[\d.eE+-]*)/g;

const MAXIMUM_REMEMBERED_KEYS = 2000;
const remembered = new Map<string, boolean>();

/** Whether values under this key are masked: `apiKey`, `api_key`, `x-api-key`, `DB_PASSWORD`, but not `max_tokens` with a number. */
function isSecretKey(key: string): boolean {
  if (key.length > 128) {
    return false;
  }
  const known = remembered.get(key);
  if (known !== undefined) {
    return known;
  }
  const words = key
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replaceAll(/[^A-Za-z0-9]+/g, "_")
    .toLowerCase();
  const secret = SECRET_WORDS.test(words);
  if (remembered.size >= MAXIMUM_REMEMBERED_KEYS) {
    remembered.clear();
  }
  remembered.set(key, secret);
  return secret;
}

/** Counts of tokens are wanted; a token that is text or an object is not. */
export function isSecretValue(key: string, value: unknown): boolean {
  if (value === null || value === undefined || typeof value === "boolean") {
    return false;
  }
  return isSecretKey(key) && !(typeof value === "number" && /tokens?$/i.test(key));
}

/** Masks secret keys inside text that is itself JSON, as the arguments of model's tool calls are. */
export function maskJsonText(text: string): string {
  if (!/^\s{0,100}[{[]/.test(text)) {
    return text;
  }
  return maskEntries(text);
}

function maskEntries(text: string): string {
  return text.replaceAll(JSON_ENTRY, (entry, open: string, key: string, colon: string, value: string) => {
    const number = !value.startsWith('"') && !value.startsWith("\\");
    if (isSecretKey(key) && !(number && /tokens?$/i.test(key))) {
      return `${open}${key}${colon}${open}${MASKED}${open}`;
    }
    return /^"\s{0,100}[{[]/.test(value) ? `${open}${key}${colon}${maskInner(value)}` : entry;
  });
}

/** JSON text within JSON text, as providers send the arguments of tool calls. */
function maskInner(value: string): string {
  let inner: unknown;
  try {
    inner = JSON.parse(value);
  } catch {
    // It was cut: its own quotes are still escaped.
    return `"${maskEntries(value.slice(1))}`;
  }
  const masked = typeof inner === "string" ? maskJsonText(inner) : inner;
  return masked === inner ? value : JSON.stringify(masked);
}

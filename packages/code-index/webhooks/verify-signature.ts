import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { SignatureScheme } from "#webhooks/hosts/signature-scheme.ts";

/** Standard Webhooks: a signature that is older, or from further in the future, may be a replayed one. */
const TOLERANCE_MS = 5 * 60_000;
const STANDARD_PREFIX = "whsec_";
/** Shortest key in bytes; the standard allows no less than 24. */
const MIN_KEY_BYTES = 16;

type Sent = { readonly body: Buffer; readonly now: Date };

/** Whether the sender of this body knows the secret, compared in constant time. */
export function verifySignature(scheme: SignatureScheme, secret: string, sent: Sent): boolean {
  if (scheme.kind === "body") {
    return equal(createHmac("sha256", secret).update(sent.body).digest(), scheme.signature);
  }
  return scheme.kind === "token" ? equal(digest(Buffer.from(secret)), digest(scheme.token)) : verifyStandardSignature(scheme, secret, sent);
}

type Standard = Extract<SignatureScheme, { kind: "standard" }>;

function verifyStandardSignature({ id, timestamp, signatures }: Standard, secret: string, { body, now }: Sent): boolean {
  const expected = createHmac("sha256", standardKey(secret)).update(`${id}.${timestamp}.`, "latin1").update(body).digest();
  const recent = Math.abs(now.getTime() - Number(timestamp) * 1000) <= TOLERANCE_MS;
  return signatures.map((signature) => equal(expected, signature)).includes(true) && recent;
}

/** `whsec_` tells that the rest is the key in base64. What decodes to too little to be a key is a text that only begins so. */
function standardKey(secret: string): Buffer {
  const key = secret.startsWith(STANDARD_PREFIX) ? Buffer.from(secret.slice(STANDARD_PREFIX.length), "base64") : Buffer.alloc(0);
  return key.length < MIN_KEY_BYTES ? Buffer.from(secret) : key;
}

function digest(value: Buffer): Buffer {
  return createHash("sha256").update(value).digest();
}

function equal(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}

import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { Proof } from "./read-head.ts";

/** Standard Webhooks: a signature that is older, or from further in the future, may be a replayed one. */
const TOLERANCE_MS = 5 * 60_000;
const STANDARD_PREFIX = "whsec_";

type Sent = { readonly body: Buffer; readonly now: Date };

/** Whether who sent this body knows the secret. Takes the same time whatever the secret is. */
export function proves(proof: Proof, secret: string, { body, now }: Sent): boolean {
  switch (proof.kind) {
    case "body":
      return equal(createHmac("sha256", secret).update(body).digest(), proof.signature);
    case "token":
      return equal(digest(Buffer.from(secret)), digest(proof.token));
    case "standard": {
      const expected = createHmac("sha256", standardKey(secret)).update(`${proof.id}.${proof.timestamp}.`, "latin1").update(body).digest();
      const recent = Math.abs(now.getTime() - Number(proof.timestamp) * 1000) <= TOLERANCE_MS;
      return proof.signatures.map((signature) => equal(expected, signature)).includes(true) && recent;
    }
  }
}

/** `whsec_` tells that the rest is the key in base64. */
function standardKey(secret: string): Buffer {
  return secret.startsWith(STANDARD_PREFIX) ? Buffer.from(secret.slice(STANDARD_PREFIX.length), "base64") : Buffer.from(secret);
}

function digest(value: Buffer): Buffer {
  return createHash("sha256").update(value).digest();
}

function equal(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}

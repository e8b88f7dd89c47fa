import { generateKeyPair } from "node:crypto";
import { promisify } from "node:util";
import { calculateJwkThumbprint } from "jose";
import type { Clock } from "@sightline/foundation/clock";
import { appendAudit } from "#audit/audit.store.ts";
import type { Queries } from "#schema.ts";
import { type Sealer, signingKeyContext } from "./sealed-values.ts";
import { insertSigningKey, listSigningKeys, lockSigningKeys } from "./signing-keys.store.ts";

export type SigningKeyDependencies = { readonly queries: Queries; readonly sealer: Sealer; readonly clock: Clock };

export type NewestSigningKey = {
  readonly kid: string;
  /** When it begins to sign. */
  readonly activeFrom: Date;
  /** Whether this call made the key. */
  readonly isNew: boolean;
};

/** By then every verifier has fetched the key, however long it caches keys. */
const PUBLISHED_BEFORE_MS = 15 * 60_000;
const MODULUS_BITS = 3072;

const generate = promisify(generateKeyPair);

/**
 * Makes the key that begins to sign in 15 minutes, the very first one at once; unless there is one that signs since, or
 * from, a time after `unlessSince`. Of many replicas at once one makes it, and all are told of the same.
 */
export async function addSigningKey(
  { queries, sealer, clock }: SigningKeyDependencies,
  { unlessSince }: { readonly unlessSince: Date },
): Promise<NewestSigningKey> {
  // Generating a key takes half a second, which must not be spent inside the transaction.
  const made = await makeKeyPair(sealer);
  return queries.transaction().execute(async (transaction) => {
    await lockSigningKeys(transaction);
    const [newest] = await listSigningKeys(transaction);
    if (newest !== undefined && newest.active_from > unlessSince) {
      return { kid: newest.kid, activeFrom: newest.active_from, isNew: false };
    }
    const now = clock.now();
    const activeFrom = newest === undefined ? now : new Date(now.getTime() + PUBLISHED_BEFORE_MS);
    await insertSigningKey(transaction, { ...made, active_from: activeFrom }, now);
    if (newest !== undefined) {
      const details = { what: "signing_key", kid: made.kid, active_from: activeFrom.toISOString() };
      await appendAudit(transaction, { event: "keys_rotated", at: now, details });
    }
    return { kid: made.kid, activeFrom, isNew: true };
  });
}

/** A key pair as it is kept: the public half as a JWK, the private one sealed. */
export async function makeKeyPair(sealer: Sealer) {
  const { publicKey, privateKey } = await generate("rsa", { modulusLength: MODULUS_BITS });
  const { kty, n, e } = publicKey.export({ format: "jwk" });
  if (kty === undefined || n === undefined || e === undefined) {
    throw new Error("Node exported an RSA key without its parameters.");
  }
  const kid = await calculateJwkThumbprint({ kty, n, e });
  const sealed = sealer.seal(privateKey.export({ type: "pkcs8", format: "der" }), signingKeyContext(kid));
  return { kid, public_jwk: { kty, n, e }, private_key: sealed };
}

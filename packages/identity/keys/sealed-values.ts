import { createSealer as createSealerOf, type EncryptionRing, type SealContext, type Sealer } from "@sightline/foundation/secrets/sealing";

export { SealError, type SealContext, type Sealer } from "@sightline/foundation/secrets/sealing";

/** Seals identity's secrets at rest. */
export function createSealer(ring: EncryptionRing): Sealer {
  return createSealerOf(ring, { label: "sightline.identity", variable: "ENCRYPTION_KEYS" });
}

/**
 * Every sealed value that is kept. Its table and column are the purpose that it is sealed for, its row's key is the subject. A setup
 * ticket is sealed too, but lasts ten minutes and is stored nowhere.
 */
export const SEALED_COLUMNS = [
  { table: "signing_keys", column: "private_key", key: "kid" },
  { table: "users", column: "totp_secret", key: "id" },
  { table: "notices", column: "sealed_link", key: "id" },
  { table: "audit_anchors", column: "seal", key: "last_id" },
  { table: "oauth_states", column: "payload", key: "id" },
  { table: "sso_providers", column: "client_secret", key: "id" },
  { table: "sso_attempts", column: "payload", key: "id" },
] as const;

export function signingKeyContext(kid: string): SealContext {
  return { purpose: "signing_keys.private_key", subject: kid };
}

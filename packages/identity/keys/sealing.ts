import { createSealer as createSealerOf, type EncryptionRing, type Sealer } from "@sightline/foundation/secrets/sealing";

export { SealError, type SealContext, type Sealer } from "@sightline/foundation/secrets/sealing";

/** Seals identity's secrets at rest. */
export function createSealer(ring: EncryptionRing): Sealer {
  return createSealerOf(ring, { label: "sightline.identity", variable: "ENCRYPTION_KEYS" });
}

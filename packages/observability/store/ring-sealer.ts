import { createSealer, type EncryptionRing, type SealContext, type Sealer } from "@sightline/foundation/secrets/sealing";

/** Seals what observability keeps sealed. */
export function createRingSealer(ring: EncryptionRing): Sealer {
  return createSealer(ring, { label: "sightline.observability", variable: "ENCRYPTION_KEYS" });
}

/** Of the key of a model connection. */
export function modelKeyContext(id: string): SealContext {
  return { purpose: "model_connections.key", subject: id };
}

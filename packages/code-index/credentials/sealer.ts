import { createSealer, type EncryptionRing, type Sealer } from "@sightline/foundation/sealing";

/** Seals the code index's secrets at rest; `undefined` where the operator has given no keys. */
export function createCodeIndexSealer(ring: EncryptionRing | undefined): Sealer | undefined {
  return ring && createSealer(ring, { label: "sightline.code-index", variable: "CODEINDEX_ENCRYPTION_KEYS" });
}

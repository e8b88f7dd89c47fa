import { createSealer as createSealerOf, type EncryptionRing, type SealContext, type Sealer } from "@sightline/foundation/secrets/sealing";

export { SealError, type SealContext, type Sealer } from "@sightline/foundation/secrets/sealing";

/** Seals identity's secrets at rest. */
export function createSealer(ring: EncryptionRing): Sealer {
  return createSealerOf(ring, { label: "sightline.identity", variable: "ENCRYPTION_KEYS" });
}

/** A column of sealed values. Its table and column are the purpose that a value is sealed for, the row's id is the subject. */
export type SealedColumn = {
  readonly table: "signing_keys" | "users" | "notices";
  readonly column: string;
  readonly id: string;
  readonly idType: "text" | "uuid";
};

/** Every sealed value that is kept. A setup ticket is sealed too, but lasts ten minutes and is stored nowhere. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  { table: "signing_keys", column: "private_key", id: "kid", idType: "text" },
  { table: "users", column: "totp_secret", id: "id", idType: "uuid" },
  { table: "notices", column: "sealed_link", id: "id", idType: "uuid" },
];

export function purposeOf({ table, column }: SealedColumn): string {
  return `${table}.${column}`;
}

export function signingKeyContext(kid: string): SealContext {
  return { purpose: "signing_keys.private_key", subject: kid };
}

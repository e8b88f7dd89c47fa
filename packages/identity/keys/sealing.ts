import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import type { EncryptionKey } from "#config.ts";

/** What a sealed value is and whose; a value moved to another place or owner does not open. */
export type SealContext = { readonly purpose: string; readonly subject: string };

export type Sealer = {
  /** Of the ring; the first one's key seals. */
  readonly keyIds: readonly [string, ...string[]];
  /** @returns `v1.<key id>.<nonce>.<ciphertext>.<tag>`, parts in base64url. */
  readonly seal: (plain: Uint8Array, context: SealContext) => string;
  /** @throws {SealError} when the key is not in the ring or the value was changed or moved. */
  readonly open: (envelope: string, context: SealContext) => Buffer;
  /** Whether it is sealed with the ring's first key; otherwise it is due to be sealed anew. */
  readonly isCurrent: (envelope: string) => boolean;
};

/** A sealed value could not be opened. The message may be shown to the operator; it holds no secret. */
export class SealError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "SealError";
  }
}

const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** AES-256-GCM under a key derived per purpose from the ring; the ring's first key seals. */
export function createSealer(ring: readonly [EncryptionKey, ...EncryptionKey[]]): Sealer {
  const [active, ...others] = ring;
  return {
    keyIds: [active.id, ...others.map(({ id }) => id)],
    isCurrent: (envelope) => envelope.startsWith(`v1.${active.id}.`),
    seal: (plain, context) => {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, deriveKey(active, context), nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(additionalData(context));
      const sealed = Buffer.concat([cipher.update(plain), cipher.final()]);
      return ["v1", active.id, ...[nonce, sealed, cipher.getAuthTag()].map((part) => part.toString("base64url"))].join(".");
    },
    open: (envelope, context) => {
      const [version, keyId, nonce, sealed, tag, ...rest] = envelope.split(".");
      if (version !== "v1" || nonce === undefined || sealed === undefined || tag === undefined || rest.length > 0) {
        throw new SealError(`The sealed ${context.purpose} is not an envelope of version 1.`);
      }
      const key = ring.find(({ id }) => id === keyId);
      if (key === undefined) {
        throw new SealError(`The ${context.purpose} is sealed with the key ${keyId}, which ENCRYPTION_KEYS does not hold. Add it there.`);
      }
      try {
        const decipher = createDecipheriv(CIPHER, deriveKey(key, context), Buffer.from(nonce, "base64url"), { authTagLength: TAG_BYTES });
        decipher.setAAD(additionalData(context));
        decipher.setAuthTag(Buffer.from(tag, "base64url"));
        return Buffer.concat([decipher.update(Buffer.from(sealed, "base64url")), decipher.final()]);
      } catch (error) {
        throw new SealError(
          `The ${context.purpose} does not open with the key ${key.id} of ENCRYPTION_KEYS: another secret, or the value was changed.`,
          error,
        );
      }
    },
  };
}

function deriveKey(key: EncryptionKey, { purpose }: SealContext): Buffer {
  return Buffer.from(hkdfSync("sha256", key.secret, "", `sightline.identity|${purpose}`, 32));
}

function additionalData({ purpose, subject }: SealContext): Buffer {
  return Buffer.from(`${purpose}|${subject}`);
}

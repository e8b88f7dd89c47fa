import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import { z } from "zod";

/** One key of the ring that secrets at rest are sealed with. */
export type EncryptionKey = { readonly id: string; readonly secret: string };

/** The keys of the ring: the first seals, all of them open. */
export type EncryptionRing = readonly [EncryptionKey, ...EncryptionKey[]];

/** The purpose and owner of a sealed value; one that is moved to another place or owner does not open. */
export type SealContext = { readonly purpose: string; readonly subject: string };

export type Sealer = {
  /** The ids of the ring's keys; the first one seals. */
  readonly keyIds: readonly [string, ...string[]];
  /** @returns `v1.<key id>.<nonce>.<ciphertext>.<tag>`, parts in base64url. */
  readonly seal: (plain: Uint8Array, context: SealContext) => string;
  /** @throws {SealError} when the key is not in the ring or the value was changed or moved. */
  readonly open: (envelope: string, context: SealContext) => Buffer;
  /** Whether the value is sealed with the ring's first key; otherwise it is due to be sealed again. */
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

type Owner = {
  /** Part of every derived key: an envelope of one part does not open in another, even under the same ring. Never change it. */
  readonly label: string;
  /** The variable that holds the ring, for messages. */
  readonly variable: string;
};

/** AES-256-GCM under a key derived per purpose from the ring; the ring's first key seals. */
export function createSealer(ring: EncryptionRing, { label, variable }: Owner): Sealer {
  const [active, ...others] = ring;
  return {
    keyIds: [active.id, ...others.map(({ id }) => id)],
    isCurrent: (envelope) => envelope.startsWith(`v1.${active.id}.`),
    seal: (plain, context) => {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, deriveKey(active, label, context), nonce, { authTagLength: TAG_BYTES });
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
        throw new SealError(`The ${context.purpose} is sealed with the key ${keyId}, which ${variable} does not hold. Add it there.`);
      }
      try {
        const decipher = createDecipheriv(CIPHER, deriveKey(key, label, context), Buffer.from(nonce, "base64url"), {
          authTagLength: TAG_BYTES,
        });
        decipher.setAAD(additionalData(context));
        decipher.setAuthTag(Buffer.from(tag, "base64url"));
        return Buffer.concat([decipher.update(Buffer.from(sealed, "base64url")), decipher.final()]);
      } catch (error) {
        throw new SealError(
          `The ${context.purpose} does not open with the key ${key.id} of ${variable}: another secret, or the value was changed.`,
          error,
        );
      }
    },
  };
}

function deriveKey(key: EncryptionKey, label: string, { purpose }: SealContext): Buffer {
  return Buffer.from(hkdfSync("sha256", key.secret, "", `${label}|${purpose}`, 32));
}

function additionalData({ purpose, subject }: SealContext): Buffer {
  return Buffer.from(`${purpose}|${subject}`);
}

const ENTRY = /^([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/=_-]{32,512})$/;

/** Reads a ring from text: `id:secret` with commas between. */
export function encryptionKeysVariable() {
  return z.string("expected text").transform((text, context): EncryptionRing => {
    const keys = text.split(",").map((entry) => {
      const [, id, secret] = ENTRY.exec(entry.trim()) ?? [];
      return id === undefined || secret === undefined ? undefined : { id, secret };
    });
    const good = keys.filter((key) => key !== undefined);
    const [first, ...others] = good;
    if (first === undefined || good.length < keys.length || new Set(good.map(({ id }) => id)).size < good.length) {
      context.addIssue({
        code: "custom",
        message: "expected id:secret[,id:secret…], every id once, every secret at least 32 url-safe characters",
      });
      return z.NEVER;
    }
    return [first, ...others];
  });
}

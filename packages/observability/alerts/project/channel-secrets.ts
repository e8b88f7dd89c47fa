import { SealError, type EncryptionRing, type SealContext, type Sealer } from "@sightline/foundation/secrets/sealing";
import { createRingSealer } from "#store/ring-sealer.ts";

export type ChannelSecrets = { readonly url: string; readonly secret: string | null };
type SealedChannel = { readonly sealedUrl: string; readonly sealedSecret: string | null };

/**
 * Seals a channel's address and the secret that signs its messages; neither opens in another channel's row. Without
 * keys it refuses both.
 */
export function createChannelSealer(ring: EncryptionRing | undefined) {
  const sealer: Pick<Sealer, "seal" | "open"> = ring === undefined ? { seal: refuse, open: refuse } : createRingSealer(ring);
  return {
    seal: (id: string, { url, secret }: ChannelSecrets): SealedChannel => ({
      sealedUrl: sealer.seal(Buffer.from(url), urlContext(id)),
      sealedSecret: secret === null ? null : sealer.seal(Buffer.from(secret), secretContext(id)),
    }),
    /** @throws {SealError} */
    open: (id: string, { sealedUrl, sealedSecret }: SealedChannel): ChannelSecrets => ({
      url: sealer.open(sealedUrl, urlContext(id)).toString(),
      secret: sealedSecret === null ? null : sealer.open(sealedSecret, secretContext(id)).toString(),
    }),
  };
}

function refuse(): never {
  throw new SealError(
    "ENCRYPTION_KEYS is not set for the role observability, so the addresses of alerts can be neither kept nor read. Set it.",
  );
}

export type ChannelSealer = ReturnType<typeof createChannelSealer>;

export function urlContext(id: string): SealContext {
  return { purpose: "alert_channels.url", subject: id };
}

export function secretContext(id: string): SealContext {
  return { purpose: "alert_channels.secret", subject: id };
}

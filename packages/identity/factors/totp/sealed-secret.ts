import type { Sealer } from "#keys/sealed-values.ts";

/** The purpose that an account's secret is sealed for; the additional data is `users.totp_secret|<user id>`. */
const PURPOSE = "users.totp_secret";

export function sealTotpSecret(sealer: Sealer, userId: string, secret: string): string {
  return sealer.seal(Buffer.from(secret), { purpose: PURPOSE, subject: userId });
}

/** @throws {SealError} when its key is not in the ring, or it was changed or is another user's. */
export function openTotpSecret(sealer: Sealer, userId: string, envelope: string): string {
  return sealer.open(envelope, { purpose: PURPOSE, subject: userId }).toString();
}

import type { Factor } from "#contract.ts";
import { backupCodes } from "#factors/backup-code/backup-codes.ts";
import type { CodeKind } from "#factors/kit/code-kind.ts";
import type { FactorKind } from "#factors/kit/factor.ts";
import { passkeyFactor } from "#factors/passkey/passkey.ts";
import { createTotpCodes, totpFactor } from "#factors/totp/totp.ts";
import type { Transaction } from "#schema.ts";

/** Every kind of second factor. */
export const FACTOR_KINDS: Readonly<Record<Factor, FactorKind>> = { totp: totpFactor, passkey: passkeyFactor };

/** Every kind of code; what is typed is one of the first that reads it. */
export function createCodeKinds(dependencies: Parameters<typeof createTotpCodes>[0]): readonly CodeKind[] {
  return [createTotpCodes(dependencies), backupCodes];
}

/** Takes every second factor from an account. */
export async function removeFactors(transaction: Transaction, userId: string): Promise<void> {
  for (const { remove } of Object.values(FACTOR_KINDS)) {
    await remove(transaction, userId);
  }
}

import { sql } from "kysely";
import type { Queries, Transaction } from "#schema.ts";
import { ENABLED, withEnvelope } from "./code-tries.store.ts";

const codesLeft = sql<number>`cardinality(totp_backup_codes)`.as("backupCodesRemaining");

type Consumed = { readonly envelope: string; readonly backupCodesRemaining: number };

/**
 * Accepts a time step if it is later than the last one; of many concurrent requests only one succeeds.
 *
 * @returns undefined when it is not later.
 */
export async function consumeStep(transaction: Transaction, userId: string, step: number, startedAt: Date): Promise<Consumed | undefined> {
  const row = await transaction
    .updateTable("identity.users")
    .set({ totp_last_step: step, totp_last_used_at: startedAt })
    .where("id", "=", userId)
    .where(ENABLED)
    .where((either) => either.or([either("totp_last_step", "is", null), either("totp_last_step", "<", step)]))
    .returning(["totp_secret as envelope", codesLeft])
    .executeTakeFirst();
  return withEnvelope(row);
}

/**
 * Removes a backup code's hash from the account's set.
 *
 * @returns undefined when it is no longer in there.
 */
export async function consumeBackupCode(transaction: Transaction, userId: string, hash: string): Promise<Consumed | undefined> {
  const row = await transaction
    .updateTable("identity.users")
    .set({ totp_backup_codes: sql<string[]>`array_remove(totp_backup_codes, ${hash})` })
    .where("id", "=", userId)
    .where(ENABLED)
    .where(sql<boolean>`${hash} = any(totp_backup_codes)`)
    .returning(["totp_secret as envelope", codesLeft])
    .executeTakeFirst();
  return withEnvelope(row);
}

/** Replaces the envelope unless another one was stored meanwhile. */
export async function replaceEnvelope(queries: Queries, userId: string, from: string, to: string): Promise<void> {
  await queries.updateTable("identity.users").set({ totp_secret: to }).where("id", "=", userId).where("totp_secret", "=", from).execute();
}

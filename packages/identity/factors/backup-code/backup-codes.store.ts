import { sql } from "kysely";
import type { Queries, Transaction } from "#schema.ts";

/** The hashes of the codes that are left; none of an account that is gone. */
export async function findBackupCodes(queries: Queries, userId: string): Promise<readonly string[]> {
  const row = await queries.selectFrom("identity.users").select("totp_backup_codes").where("id", "=", userId).executeTakeFirst();
  return row?.totp_backup_codes ?? [];
}

/** Removes a backup code's hash from the account's set; false when it is no longer in there. */
export async function consumeBackupCode(transaction: Transaction, userId: string, hash: string): Promise<boolean> {
  const { numUpdatedRows } = await transaction
    .updateTable("identity.users")
    .set({ totp_backup_codes: sql<string[]>`array_remove(totp_backup_codes, ${hash})` })
    .where("id", "=", userId)
    .where("totp_enabled", "=", true)
    .where("disabled_at", "is", null)
    .where(sql<boolean>`${hash} = any(totp_backup_codes)`)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Replaces the whole set in one statement: old and new codes are never valid at the same time. */
export async function replaceBackupCodes(transaction: Transaction, userId: string, hashes: readonly string[]): Promise<void> {
  await transaction
    .updateTable("identity.users")
    .set({ totp_backup_codes: [...hashes] })
    .where("id", "=", userId)
    .execute();
}

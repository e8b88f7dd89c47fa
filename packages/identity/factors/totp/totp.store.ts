import type { Queries, Transaction } from "#schema.ts";

/** @returns undefined when the account has no authenticator app, or is disabled. */
export async function findTotp(queries: Queries, userId: string) {
  return queries
    .selectFrom("identity.users")
    .select(["totp_last_step as lastStep", "totp_last_used_at as lastUsedAt"])
    .select((row) => row.ref("totp_secret").$notNull().as("envelope"))
    .where("id", "=", userId)
    .where("totp_enabled", "=", true)
    .where("disabled_at", "is", null)
    .executeTakeFirst();
}

/**
 * Accepts a time step if it is later than the last one; of many concurrent requests only one succeeds.
 *
 * @returns the sealed secret whose code it was; undefined when it is not later.
 */
export async function consumeStep(transaction: Transaction, userId: string, step: number, startedAt: Date): Promise<string | undefined> {
  const row = await transaction
    .updateTable("identity.users")
    .set({ totp_last_step: step, totp_last_used_at: startedAt })
    .where("id", "=", userId)
    .where("totp_enabled", "=", true)
    .where("disabled_at", "is", null)
    .where((either) => either.or([either("totp_last_step", "is", null), either("totp_last_step", "<", step)]))
    .returning("totp_secret")
    .executeTakeFirst();
  return row?.totp_secret ?? undefined;
}

/** Replaces the envelope unless another one was stored meanwhile. */
export async function replaceEnvelope(queries: Queries, userId: string, from: string, to: string): Promise<void> {
  await queries.updateTable("identity.users").set({ totp_secret: to }).where("id", "=", userId).where("totp_secret", "=", from).execute();
}

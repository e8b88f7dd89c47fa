import { findFactors } from "#accounts/account.store.ts";
import type { Queries, Transaction } from "#schema.ts";
import { lockLiveSession } from "#session/session.store.ts";

type Ticket = { readonly id: string; readonly userId: string; readonly expiresAt: Date };

/**
 * Counts a try of a ticket before it is evaluated, however many come at once.
 *
 * @returns which try it is; undefined when the ticket is used up or has none left.
 */
export async function takeSetupTry(queries: Queries, { id, userId, expiresAt }: Ticket, limit: number): Promise<number | undefined> {
  const row = await queries
    .insertInto("identity.setup_tries")
    .values({ ticket_id: id, user_id: userId, tries: 1, expires_at: expiresAt })
    .onConflict((conflict) =>
      conflict
        .column("ticket_id")
        .doUpdateSet((expression) => ({ tries: expression("identity.setup_tries.tries", "+", 1) }))
        .where("identity.setup_tries.tries", "<", limit)
        .where("identity.setup_tries.used_at", "is", null),
    )
    .returning("tries")
    .executeTakeFirst();
  return row?.tries;
}

/** Call it when the try was never evaluated. */
export async function giveSetupTryBack(queries: Queries, ticketId: string): Promise<void> {
  await queries
    .updateTable("identity.setup_tries")
    .set((expression) => ({ tries: expression("tries", "-", 1) }))
    .where("ticket_id", "=", ticketId)
    .where("tries", ">", 0)
    .execute();
}

/** @returns whether it was this call that used it. */
export async function claimSetupTicket(queries: Queries, ticketId: string, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await queries
    .updateTable("identity.setup_tries")
    .set({ used_at: now })
    .where("ticket_id", "=", ticketId)
    .where("used_at", "is", null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Reopens a ticket that was claimed when its set-up failed. */
export async function reopenSetupTicket(queries: Queries, ticketId: string): Promise<void> {
  await queries.updateTable("identity.setup_tries").set({ used_at: null }).where("ticket_id", "=", ticketId).execute();
}

/** Deletes tries an hour after they expire: with clocks apart, no replica may take a used ticket for a new one. */
export async function deleteExpiredSetupTries(queries: Queries, now: Date): Promise<void> {
  await queries
    .deleteFrom("identity.setup_tries")
    .where("expires_at", "<=", new Date(now.getTime() - 3_600_000))
    .execute();
}

type Owner = { readonly userId: string; readonly sessionId: string; readonly epoch: number };

/** Locks the account if neither its credentials nor the session have ended meanwhile. */
export async function lockForSetup(transaction: Transaction, { userId, sessionId, epoch }: Owner) {
  const account = await transaction
    .selectFrom("identity.users")
    .select(["totp_secret as totpSecret"])
    .where("id", "=", userId)
    .where("epoch", "=", epoch)
    .where("disabled_at", "is", null)
    .forUpdate()
    .executeTakeFirst();
  if (account === undefined || !(await lockLiveSession(transaction, sessionId, userId))) {
    return undefined;
  }
  return { ...account, factors: await findFactors(transaction, userId) };
}

type SecondFactorRow = {
  readonly userId: string;
  readonly sealedSecret: string;
  readonly backupCodes: readonly string[];
  /** The step of the code that verified it, which is used up with that. */
  readonly step: number;
  readonly stepAt: Date;
};

export async function storeSecondFactor(transaction: Transaction, row: SecondFactorRow): Promise<void> {
  await transaction
    .updateTable("identity.users")
    .set({
      totp_enabled: true,
      totp_secret: row.sealedSecret,
      totp_backup_codes: [...row.backupCodes],
      totp_last_step: row.step,
      totp_last_used_at: row.stepAt,
    })
    .where("id", "=", row.userId)
    .execute();
}

export async function wipeSecondFactor(transaction: Transaction, userId: string): Promise<void> {
  await transaction
    .updateTable("identity.users")
    .set({ totp_enabled: false, totp_secret: null, totp_backup_codes: [], totp_last_step: null, totp_last_used_at: null })
    .where("id", "=", userId)
    .execute();
}

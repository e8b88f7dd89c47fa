import { type AppError, refusal } from "@sightline/foundation/errors";
import { lockVerifiedAccount, type Account } from "#accounts/account.store.ts";
import type { Transaction } from "#schema.ts";
import { lockLiveSession } from "#session/session.store.ts";

/**
 * Locks the account and the session of somebody whose password was verified again: verifying takes time, in which the
 * owner may have changed the password or ended the session.
 *
 * @throws {AppError} 401 `auth_failed`.
 */
export async function lockSignedIn(transaction: Transaction, account: Account, sessionId: string): Promise<void> {
  if (!(await lockVerifiedAccount(transaction, account)) || !(await lockLiveSession(transaction, sessionId, account.id))) {
    throw sessionOver();
  }
}

export function sessionOver(): AppError {
  return refusal(401, "auth_failed", "The account or the session has changed meanwhile. Log in again.");
}

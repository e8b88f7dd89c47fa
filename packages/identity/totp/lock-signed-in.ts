import { AppError } from "@sightline/foundation/errors";
import type { Transaction } from "kysely";
import { lockVerifiedAccount, type Account } from "#accounts/account.store.ts";
import type { IdentitySchema } from "#schema.ts";
import { lockLiveSession } from "#session/session.store.ts";

/**
 * Holds the account and the session of someone who showed the password again: looking at it takes its time, in which the
 * owner may have changed it, or ended the session that asks.
 *
 * @throws {AppError} 401 `auth_failed`.
 */
export async function lockSignedIn(transaction: Transaction<IdentitySchema>, account: Account, sessionId: string): Promise<void> {
  if (!(await lockVerifiedAccount(transaction, account)) || !(await lockLiveSession(transaction, { sessionId, userId: account.id }))) {
    throw sessionOver();
  }
}

export function sessionOver(): AppError {
  return new AppError({ code: "auth_failed", status: 401, message: "The account or the session has changed meanwhile. Log in again." });
}

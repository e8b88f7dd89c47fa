import { confirmPassword } from "#accounts/confirm-password.ts";
import { findAccount, updatePassword } from "#accounts/account.store.ts";
import { refuseGuessable } from "#accounts/password-rule.ts";
import { ownAction, type Caller } from "#audit/client.ts";
import type { ChangePasswordRequest } from "#contract.ts";
import { refusal } from "#refusals.ts";
import { endSessions } from "#session/end-sessions.ts";
import { requireFactor } from "#session/require-factor.ts";
import { findSession } from "#session/session.store.ts";
import type { Grant } from "#session/sessions.ts";
import { lockSignedIn, sessionOver } from "#factors/kit/lock-signed-in.ts";
import type { LoginDependencies } from "./login.ts";

/**
 * Sets a new password, ends every session of the user and opens a new one in their place. A one-time password is
 * replaced the same way. With a second factor the password alone is not enough: password and code have to have been shown on this
 * session within ten minutes, by its login or by a step-up.
 *
 * @throws {AppError} 401 `auth_failed`, 403 `wrong_password` or `step_up_required`, 400 `password_unchanged` or `password_too_common`, 429 `too_many_tries`.
 */
export async function changePassword(dependencies: LoginDependencies, caller: Caller, request: ChangePasswordRequest): Promise<Grant> {
  const { queries, hasher, sessions } = dependencies;
  const { userId, sessionId, client } = caller;
  const account = await findAccount(queries, userId);
  const session = await findSession(queries, sessionId);
  if (account === undefined || session === undefined) {
    throw sessionOver();
  }
  requireFactor(account, session, dependencies.clock.now());
  refuseGuessable(request.new_password, account.email);
  await confirmPassword(dependencies, account, request.current_password, caller);
  if (request.new_password.normalize("NFKC") === request.current_password.normalize("NFKC")) {
    throw refusal("password_unchanged");
  }
  const passwordHash = await hasher.hash(request.new_password);
  const opened = await queries.transaction().execute(async (transaction) => {
    await lockSignedIn(transaction, account, sessionId);
    const now = dependencies.clock.now();
    const action = ownAction(caller, now);
    await updatePassword(transaction, { id: userId, passwordHash, now });
    // The password that was shown here renews a login that took no more; a second factor is as long ago as it was.
    const authenticatedAt = account.factors.length > 0 ? session.authenticatedAt : now;
    const successor = await sessions.open(transaction, { userId, amr: session.amr, authenticatedAt, client });
    const ending = { ...action, reason: "password_changed", except: successor };
    await endSessions(transaction, ending, { ...action, event: "user_password_changed" });
    return successor;
  });
  return sessions.grant(opened);
}

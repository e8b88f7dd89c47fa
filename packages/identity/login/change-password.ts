import type { Owner } from "@sightline/foundation/http/principal";
import { confirmPassword } from "#accounts/confirm-password.ts";
import { findAccount, updatePassword } from "#accounts/account.store.ts";
import { refuseGuessable } from "#accounts/password-rule.ts";
import type { Client } from "#audit/client.ts";
import type { ChangePasswordRequest } from "#contract.ts";
import { refusal } from "#refusals.ts";
import { endSessions } from "#session/end-sessions.ts";
import { findSession } from "#session/session.store.ts";
import type { Grant } from "#session/sessions.ts";
import { lockSignedIn, sessionOver } from "#totp/lock-signed-in.ts";
import type { LoginDependencies } from "./login.ts";

/**
 * Sets a new password, ends every session of the user and opens a new one in their place. A one-time password is
 * replaced the same way.
 *
 * @throws {AppError} 401 `auth_failed`, 403 `wrong_password`, 400 `password_unchanged` or `password_too_common`, 429 `too_many_tries`.
 */
export async function changePassword(
  dependencies: LoginDependencies,
  { userId, sessionId }: Pick<Owner, "userId" | "sessionId">,
  request: ChangePasswordRequest,
  client: Client,
): Promise<Grant> {
  const { queries, hasher, sessions } = dependencies;
  const account = await findAccount(queries, userId);
  const session = await findSession(queries, sessionId);
  if (account === undefined || session === undefined) {
    throw sessionOver();
  }
  refuseGuessable(request.new_password, account.email);
  await confirmPassword(dependencies, account, request.current_password, client);
  if (request.new_password.normalize("NFKC") === request.current_password.normalize("NFKC")) {
    throw refusal("password_unchanged");
  }
  const passwordHash = await hasher.hash(request.new_password);
  const opened = await queries.transaction().execute(async (transaction) => {
    await lockSignedIn(transaction, account, sessionId);
    const now = dependencies.clock.now();
    const { tenantId } = account;
    const event = { at: now, userId, actorId: userId, tenantId, client, now };
    await updatePassword(transaction, { id: userId, passwordHash, now });
    const successor = await sessions.open(transaction, { userId, amr: session.amr, authenticatedAt: now, client });
    await endSessions(
      transaction,
      { ...event, reason: "password_changed", except: successor },
      { ...event, event: "user_password_changed", sessionId },
    );
    return successor;
  });
  return sessions.grant(opened);
}

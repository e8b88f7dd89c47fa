import { raiseEpoch, updatePassword } from "#accounts/account.store.ts";
import { makeOneTimePassword } from "#accounts/one-time-password.ts";
import { NO_PASSWORD } from "#accounts/password-hash.ts";
import type { Caller } from "#audit/client.ts";
import { refusal } from "#refusals.ts";
import { forgetDevices } from "#session/known-device.store.ts";
import { type AccountAddress, actOnAccount, type AdministrationDependencies } from "./act-on-account.ts";
import { refuseOwnAccount } from "./last-admin.ts";
import { mailLink, refuseWithoutMail } from "./mailed-link.ts";

/**
 * Replaces the password by a one-time password or a mailed link, and ends all sessions. Somebody who was invited and
 * has no password yet is invited again. The second factor stays.
 *
 * @returns the one-time password, to be shown once; undefined when a link was mailed.
 * @throws {AppError} 403 `own_account`, 404 `unknown_user`, 409 `account_disabled`, 409 `mail_not_configured`.
 */
export async function resetPassword(
  dependencies: AdministrationDependencies,
  actor: Caller | undefined,
  address: AccountAddress,
  { byMail }: { readonly byMail: boolean },
): Promise<string | undefined> {
  refuseOwnAccount(address.id, actor, "Change your own password with POST /login/password.");
  if (byMail) {
    refuseWithoutMail(dependencies, "Reset the password to a one-time password, and hand it over yourself.");
  }
  const oneTimePassword = byMail ? undefined : makeOneTimePassword();
  const passwordHash = oneTimePassword === undefined ? NO_PASSWORD : await dependencies.hasher.hash(oneTimePassword);
  await actOnAccount(dependencies, actor, address, async (action) => {
    const { transaction, account, now, record, endSessions } = action;
    const { id, invited, disabledAt } = account;
    if (disabledAt !== null) {
      throw refusal("account_disabled");
    }
    if (byMail && invited) {
      await raiseEpoch(transaction, { id, now });
      await mailLink(dependencies, transaction, { userId: id, purpose: "invitation", now });
      return record("user_invited");
    }
    await updatePassword(transaction, { id, passwordHash, now }, true);
    await forgetDevices(transaction, id);
    if (byMail) {
      await mailLink(dependencies, transaction, { userId: id, purpose: "password_reset", now });
    } else {
      await dependencies.notices.append(transaction, { userId: id, kind: "password_changed", at: now, details: { by: "admin" } });
    }
    record("user_password_reset", { by: byMail ? "mail" : "one_time_password" });
    endSessions("password_reset");
  });
  return oneTimePassword;
}

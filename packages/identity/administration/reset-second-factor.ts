import { raiseEpoch } from "#accounts/account.store.ts";
import type { Caller } from "#audit/client.ts";
import { refusal } from "#refusals.ts";
import { deletePartialTokensOf } from "#session/session.store.ts";
import { forgetAllFailures } from "#totp/code-tries.store.ts";
import { wipeSecondFactor } from "#totp/setup.store.ts";
import { type AccountAddress, actOnAccount, type AdministrationDependencies } from "./act-on-account.ts";

/**
 * Removes the second factor of an account whose owner lost it: from then on the password alone logs in, until a new one
 * is set up. Never one's own: a stolen session of an admin must not be able to remove that admin's second factor.
 *
 * @throws {AppError} 403 `own_second_factor`, 404 `unknown_user`, 409 `not_enabled`.
 */
export async function resetSecondFactor(
  dependencies: AdministrationDependencies,
  actor: Caller | undefined,
  address: AccountAddress,
  reason: string,
): Promise<void> {
  if (address.id === actor?.userId) {
    throw refusal("own_second_factor");
  }
  await actOnAccount(dependencies, actor, address, async (action) => {
    const { transaction, account, now } = action;
    if (!account.totpEnabled) {
      throw refusal("not_enabled");
    }
    await raiseEpoch(transaction, { id: account.id, now });
    await wipeSecondFactor(transaction, account.id);
    await forgetAllFailures(transaction, account.id);
    await deletePartialTokensOf(transaction, account.id);
    await dependencies.notices.append(transaction, { userId: account.id, kind: "two_factor_reset", at: now, details: { reason } });
    action.record("2fa_admin_reset", { reason });
    action.endSessions("two_factor_reset");
  });
}

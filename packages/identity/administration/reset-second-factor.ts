import { findFactors, raiseEpoch } from "#accounts/account.store.ts";
import type { Caller } from "#audit/client.ts";
import { refusal } from "#refusals.ts";
import { deletePartialTokensOf } from "#session/session.store.ts";
import { removeFactors } from "#factors/registry.ts";
import { type AccountAddress, type Action, actOnAccount, type AdministrationDependencies } from "./act-on-account.ts";
import { needsTwo } from "./policy.ts";
import { deleteWaiting, findPolicy, listActiveAdmins, refuseWithoutSecondFactor } from "./policy.store.ts";
import { decideByTwo } from "./second-admin.ts";

/**
 * Removes every second factor of an account whose owner lost it: from then on the password alone logs in, until a
 * new one is set up. Never one's own: a stolen session of an admin must not be able to remove that admin's second factor. Nor by an
 * admin without one, so that an organization's second factor is not as weak as its weakest admin. Where the policy says so the reset
 * waits, a day at the most, until another admin asks for it too.
 *
 * @returns whether it waits.
 * @throws {AppError} 403 `own_second_factor`, `second_factor_needed` or `admin_too_new`, 404 `unknown_user`, 409 `not_enabled`.
 */
export async function resetSecondFactor(
  dependencies: AdministrationDependencies,
  actor: Caller | undefined,
  address: AccountAddress,
  reason: string,
): Promise<boolean> {
  if (address.id === actor?.userId) {
    throw refusal("own_second_factor");
  }
  return actOnAccount(dependencies, actor, address, async (action) => {
    const { transaction, account, now, record } = action;
    if ((await findFactors(transaction, account.id)).length === 0) {
      throw refusal("not_enabled");
    }
    if (actor !== undefined) {
      refuseWithoutSecondFactor(await listActiveAdmins(transaction, account.tenantId), actor.userId);
      if ((await decideByTwo(dependencies, action, actor, { action: "reset", reason })) === "waits") {
        return true;
      }
    }
    await deleteWaiting(transaction, account.id, now);
    await raiseEpoch(transaction, { id: account.id, now });
    await removeFactors(transaction, account.id);
    await deletePartialTokensOf(transaction, account.id);
    await dependencies.notices.append(transaction, { userId: account.id, kind: "two_factor_reset", at: now, details: { reason } });
    record("2fa_admin_reset", { reason });
    action.endSessions("two_factor_reset");
    return false;
  });
}

/**
 * Guards the deletion of an account, which takes its second factor along: its address could be given to a new account that has none.
 * It asks for what a reset asks for. Where that is a second admin, a member's reset comes first; the deletion of an admin is confirmed itself.
 *
 * @throws {AppError} 403 `second_factor_needed`, 409 `reset_needed_first`.
 */
export async function refuseTakingFactor(action: Action, actor: Caller): Promise<void> {
  const { transaction, account, now } = action;
  if ((await findFactors(transaction, account.id)).length === 0) {
    return;
  }
  refuseWithoutSecondFactor(await listActiveAdmins(transaction, account.tenantId), actor.userId);
  if (account.role === "member" && needsTwo(await findPolicy(transaction, account.tenantId), now)) {
    throw refusal("reset_needed_first");
  }
}

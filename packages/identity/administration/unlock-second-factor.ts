import { findFactors } from "#accounts/account.store.ts";
import type { Caller } from "#audit/client.ts";
import { refusal } from "#refusals.ts";
import { forgetAllFailures } from "#factors/kit/code-tries.store.ts";
import { type AccountAddress, actOnAccount, type AdministrationDependencies } from "./act-on-account.ts";
import { listActiveAdmins, refuseWithoutSecondFactor } from "./policy.store.ts";

/**
 * Lifts the locks of an account whose codes somebody tried too often: codes are looked at again, and the second factor stays. Never
 * one's own: whoever stole an admin's session would guess on. Nor by an admin without one, whose password alone would be worth any
 * number of guesses at another's.
 *
 * @throws {AppError} 403 `own_second_factor` or `second_factor_needed`, 404 `unknown_user`, 409 `not_enabled`.
 */
export async function unlockSecondFactor(
  dependencies: AdministrationDependencies,
  actor: Caller | undefined,
  address: AccountAddress,
): Promise<void> {
  if (address.id === actor?.userId) {
    throw refusal("own_second_factor");
  }
  await actOnAccount(dependencies, actor, address, async ({ transaction, account, now, record }) => {
    if (!(await findFactors(transaction, account.id)).includes("totp")) {
      throw refusal("not_enabled");
    }
    if (actor !== undefined) {
      refuseWithoutSecondFactor(await listActiveAdmins(transaction, account.tenantId), actor.userId);
    }
    await forgetAllFailures(transaction, account.id);
    await dependencies.notices.append(transaction, { userId: account.id, kind: "two_factor_unlocked", at: now, details: { by: "admin" } });
    record("2fa_unlocked", { by: "admin" });
  });
}

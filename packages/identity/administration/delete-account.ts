import { actOnAccount, type AccountAddress, type Actor } from "./act-on-account.ts";
import type { AdministrationDependencies } from "./dependencies.ts";
import { refuseLosingAdmin } from "./last-admin.ts";
import { deleteAccountRow } from "./managed-account.store.ts";

/**
 * Deletes the account with everything that hangs on it. The audit keeps who it was; its address is free again.
 *
 * @throws {AppError} 403 `own_account`, 404 `unknown_user`, 409 `last_admin`.
 */
export async function deleteAccount(dependencies: AdministrationDependencies, actor: Actor, address: AccountAddress): Promise<void> {
  await actOnAccount(dependencies, actor, address, async (action) => {
    const { transaction, account, record } = action;
    await refuseLosingAdmin(action, actor);
    record("user_deleted", { email: account.email, role: account.role });
    await deleteAccountRow(transaction, account.id);
  });
}

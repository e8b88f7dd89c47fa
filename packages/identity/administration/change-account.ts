import { raiseEpoch } from "#accounts/account.store.ts";
import type { Caller } from "#audit/client.ts";
import type { ChangeAccountRequest } from "#contract.ts";
import { forgetDevices } from "#session/known-device.store.ts";
import { type AccountAddress, type Action, actOnAccount, type AdministrationDependencies } from "./act-on-account.ts";
import { refuseLosingAdmin, refuseOwnAccount } from "./last-admin.ts";
import { updateAccount, type AccountChanges, type ManagedAccount } from "./managed-account.store.ts";

/**
 * Changes what differs from what is there; the rest writes nothing. Another role, disabling and a forced change of the
 * password end all sessions of the account. A second factor stays, whatever the role: only a reset with a reason takes it.
 *
 * @throws {AppError} 403 `own_account`, 404 `unknown_user`, 409 `last_admin`.
 */
export async function changeAccount(
  dependencies: AdministrationDependencies,
  actor: Caller,
  address: AccountAddress,
  request: ChangeAccountRequest,
): Promise<void> {
  await actOnAccount(dependencies, actor, address, async (action) => {
    const { transaction, account, now } = action;
    const changes = differences(account, request, now);
    if (changes.role !== undefined || changes.disabledAt instanceof Date) {
      await refuseLosingAdmin(action, actor);
    }
    if (changes.mustChangePassword !== undefined) {
      refuseOwnAccount(account.id, actor, "Change your own password with POST /login/password.");
    }
    if (Object.keys(changes).length === 0) {
      return;
    }
    await updateAccount(transaction, account.id, changes);
    const ended = reasonToEnd(changes);
    if (ended !== undefined) {
      await raiseEpoch(transaction, { id: account.id, now });
      await forgetDevices(transaction, account.id);
      action.endSessions(ended);
    }
    recordChanges(action, changes);
  });
}

function differences(account: ManagedAccount, request: ChangeAccountRequest, now: Date): AccountChanges {
  const { name, role, disabled, must_change_password: mustChangePassword } = request;
  return {
    ...(name === undefined || name === account.name ? {} : { name }),
    ...(role === undefined || role === account.role ? {} : { role }),
    ...(disabled === undefined || disabled === (account.disabledAt !== null) ? {} : { disabledAt: disabled ? now : null }),
    ...(mustChangePassword === undefined || account.mustChangePassword ? {} : { mustChangePassword }),
  };
}

function reasonToEnd({ role, disabledAt, mustChangePassword }: AccountChanges): string | undefined {
  if (disabledAt instanceof Date) {
    return "account_disabled";
  }
  if (role !== undefined) {
    return "role_changed";
  }
  return mustChangePassword === undefined ? undefined : "password_change_forced";
}

function recordChanges({ account, record }: Action, changes: AccountChanges): void {
  const { name, role, disabledAt, mustChangePassword } = changes;
  if (name !== undefined) {
    record("user_changed", { changed: "name", from: account.name, to: name });
  }
  if (role !== undefined) {
    record("user_changed", { changed: "role", from: account.role, to: role });
  }
  if (mustChangePassword !== undefined) {
    record("user_changed", { changed: "must_change_password", from: "false", to: "true" });
  }
  if (disabledAt !== undefined) {
    record(disabledAt === null ? "user_enabled" : "user_disabled");
  }
}

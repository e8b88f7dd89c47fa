import { raiseEpoch } from "#accounts/account.store.ts";
import type { Caller } from "#audit/client.ts";
import type { ChangeAccountRequest } from "#contract.ts";
import { forgetDevices } from "#session/known-device.store.ts";
import { type AccountAddress, type Action, actOnAccount, type AdministrationDependencies } from "./act-on-account.ts";
import { refuseLosingAdmin, refuseOwnAccount } from "./last-admin.ts";
import { decideByTwo } from "./second-admin.ts";
import { updateAccount, type AccountChanges, type ManagedAccount } from "./managed-account.store.ts";

/**
 * Changes what differs from what is there; the rest writes nothing. Another role, disabling and a forced change of the
 * password end all sessions of the account. A second factor stays, whatever the role: only a reset with a reason takes it.
 *
 * Where the policy has it wait, an admin is demoted or disabled by two, one of both at a time; the rest of a request is done.
 *
 * @returns whether it waits for another admin.
 * @throws {AppError} 403 `own_account`, `second_factor_needed` or `admin_too_new`, 404 `unknown_user`, 409 `last_admin`.
 */
export async function changeAccount(
  dependencies: AdministrationDependencies,
  actor: Caller,
  address: AccountAddress,
  request: ChangeAccountRequest,
): Promise<boolean> {
  return actOnAccount(dependencies, actor, address, async (action) => {
    const { account, now } = action;
    const wanted = differences(account, request, now);
    if (wanted.role !== undefined || wanted.disabledAt instanceof Date) {
      await refuseLosingAdmin(action, actor);
    }
    const { waits, changes } =
      account.role === "admin" ? await byTwo(dependencies, action, actor, wanted) : { waits: false, changes: wanted };
    if (changes.mustChangePassword !== undefined) {
      refuseOwnAccount(account.id, actor, "Change your own password with POST /login/password.");
    }
    await applyChanges(action, changes);
    return waits;
  });
}

/** Makes the changes, which may be none, and ends what was open where they ask for that. */
export async function applyChanges(action: Action, changes: AccountChanges): Promise<void> {
  const { transaction, account, now } = action;
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
}

/** @returns what of the changes of an admin is done now, and whether something waits. */
async function byTwo(dependencies: AdministrationDependencies, action: Action, actor: Caller, wanted: AccountChanges) {
  const { role, disabledAt, ...rest } = wanted;
  const disables = disabledAt instanceof Date;
  if (!disables && role === undefined) {
    return { waits: false, changes: wanted };
  }
  const decision = await decideByTwo(dependencies, action, actor, { action: disables ? "disable" : "demote", reason: "" });
  if (decision === "confirmed") {
    return { waits: false, changes: { ...rest, ...(disables ? { disabledAt } : { role }) } };
  }
  return decision === "waits" ? { waits: true, changes: rest } : { waits: false, changes: wanted };
}

export function differences(account: ManagedAccount, request: Partial<ChangeAccountRequest>, now: Date): AccountChanges {
  const { name, role, disabled, must_change_password: mustChangePassword } = request;
  return {
    ...(name === undefined || name === account.name ? {} : { name }),
    ...(role === undefined || role === account.role ? {} : { role }),
    ...(disabled === undefined || disabled === (account.disabledAt !== null) ? {} : { disabledAt: disabled ? now : null }),
    ...(mustChangePassword === undefined || account.mustChangePassword ? {} : { mustChangePassword }),
  };
}

function reasonToEnd({ email, role, disabledAt, mustChangePassword }: AccountChanges): string | undefined {
  if (disabledAt instanceof Date) {
    return "account_disabled";
  }
  if (email !== undefined) {
    return "address_changed";
  }
  if (role !== undefined) {
    return "role_changed";
  }
  return mustChangePassword === undefined ? undefined : "password_change_forced";
}

function recordChanges({ account, record }: Action, changes: AccountChanges): void {
  const { name, email, role, disabledAt, mustChangePassword } = changes;
  if (email !== undefined) {
    record("user_changed", { changed: "email", from: account.email, to: email });
  }
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

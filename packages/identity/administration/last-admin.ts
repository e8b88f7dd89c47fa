import { AppError } from "@sightline/foundation/errors";
import { refuseLosingEmergencyAdmin } from "#accounts/emergency.ts";
import type { Caller } from "#audit/client.ts";
import { refusal } from "#refusals.ts";
import type { Action } from "./act-on-account.ts";
import { hasOtherActiveAdmin } from "./managed-account.store.ts";

/**
 * Guards changes that take an admin's rights away: nobody does that to themself, and the tenant keeps an active admin.
 *
 * @throws {AppError} 409 `last_admin` or `last_break_glass`, 403 `own_account`.
 */
export async function refuseLosingAdmin({ transaction, account }: Action, actor: Caller | undefined): Promise<void> {
  const isAdmin = account.role === "admin" && account.disabledAt === null;
  if (isAdmin && !(await hasOtherActiveAdmin(transaction, account))) {
    throw refusal("last_admin");
  }
  if (isAdmin) {
    await refuseLosingEmergencyAdmin(transaction, account);
  }
  refuseOwnAccount(account.id, actor, "Nobody changes their own role, or disables or deletes their own account. Ask another admin.");
}

/** @throws {AppError} 403 `own_account`. */
export function refuseOwnAccount(accountId: string, actor: Caller | undefined, message: string): void {
  if (accountId === actor?.userId) {
    throw new AppError({ code: "own_account", status: 403, message });
  }
}

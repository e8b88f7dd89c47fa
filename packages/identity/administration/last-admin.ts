import { AppError } from "@sightline/foundation/errors";
import type { Action, Actor } from "./act-on-account.ts";
import { hasOtherActiveAdmin } from "./managed-account.store.ts";

/**
 * For what takes the rights of an admin away: nobody does it to themself, and someone who can administer the tenant stays.
 *
 * @throws {AppError} 409 `last_admin`, 403 `own_account`.
 */
export async function refuseLosingAdmin({ transaction, account }: Action, actor: Actor | undefined): Promise<void> {
  const isAdmin = account.role === "admin" && account.disabledAt === null;
  if (isAdmin && !(await hasOtherActiveAdmin(transaction, account))) {
    throw new AppError({
      code: "last_admin",
      status: 409,
      message: "This is the last active admin of the organisation. Make another account an admin first.",
    });
  }
  refuseOwnAccount(account.id, actor, "Nobody changes their own role, or disables or deletes their own account. Ask another admin.");
}

/** @throws {AppError} 403 `own_account`. */
export function refuseOwnAccount(accountId: string, actor: Actor | undefined, message: string): void {
  if (accountId === actor?.owner.userId) {
    throw new AppError({ code: "own_account", status: 403, message });
  }
}

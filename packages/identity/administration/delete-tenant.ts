import { AppError } from "@sightline/foundation/errors";
import { DEFAULT_TENANT, findTenant } from "#accounts/tenant.store.ts";
import { actOnAccount } from "./act-on-account.ts";
import type { AdministrationDependencies } from "./dependencies.ts";
import { deleteAccountRow, deleteTenantRow, listAccountsOf } from "./managed-account.store.ts";

/**
 * Deletes a tenant with all its accounts, the last admin's too; the audit keeps who they were. Safe to repeat: what was
 * broken off goes on.
 *
 * @returns how many accounts are gone; undefined when there is no such tenant.
 * @throws {AppError} 409 `default_tenant`: every start makes that one again.
 */
export async function deleteTenant(dependencies: AdministrationDependencies, name: string): Promise<number | undefined> {
  if (name === DEFAULT_TENANT) {
    throw new AppError({
      code: "default_tenant",
      status: 409,
      message: `The tenant ${DEFAULT_TENANT} can't be deleted: every start makes it again. Delete its accounts and repositories in the console.`,
    });
  }
  const tenant = await findTenant(dependencies.queries, name);
  if (tenant === undefined) {
    return undefined;
  }
  let deleted = 0;
  // An account that is made meanwhile is found by the next look.
  while (!(await deleteTenantRow(dependencies.queries, tenant.id))) {
    for (const id of await listAccountsOf(dependencies.queries, tenant.id)) {
      await actOnAccount(dependencies, undefined, { id, tenantId: tenant.id }, async ({ transaction, account, record }) => {
        record("user_deleted", { email: account.email, role: account.role });
        await deleteAccountRow(transaction, account.id);
      });
      deleted += 1;
    }
  }
  return deleted;
}

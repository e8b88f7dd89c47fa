import { orRefuse, refusal } from "@sightline/foundation/errors";
import { readRequest } from "#read-request.ts";
import { findAccountByEmail } from "#accounts/account.store.ts";
import { resetSecondFactorRequestSchema } from "#contract.ts";
import { type AccountAddress, actOnAccount, type AdministrationDependencies } from "./act-on-account.ts";
import { listAdmins, deleteAccountRow, deleteTenantRow, listTenantAccounts } from "./managed-account.store.ts";
import { resetPassword } from "./reset-password.ts";
import { resetSecondFactor } from "./reset-second-factor.ts";
import { unlockSecondFactor } from "./unlock-second-factor.ts";
import { DEFAULT_TENANT, findTenant } from "#accounts/tenant.store.ts";

/** The commands of the host on accounts of any tenant: whoever runs them holds the database already. */
export function createHostCommands(dependencies: AdministrationDependencies) {
  return {
    listAdmins: () => listAdmins(dependencies.queries),
    /**
     * Makes a new one-time password, returned once and stored nowhere; every session of the account ends, its second
     * factor stays.
     *
     * @throws {AppError} 404 `unknown_user`, 409 `account_disabled`.
     */
    resetPassword: async (address: string) => {
      const { email, ...account } = await find(dependencies, address);
      const oneTimePassword = await resetPassword(dependencies, undefined, account, { byMail: false });
      if (oneTimePassword === undefined) {
        throw new Error("A password was reset without a one-time password.");
      }
      return { email, oneTimePassword };
    },
    /** @throws {AppError} 400 `invalid_request` without a reason, 404 `unknown_user`, 409 `not_enabled`. */
    resetSecondFactor: async ({ email: address, reason }: { readonly email: string; readonly reason: string }) => {
      const request = readRequest(resetSecondFactorRequestSchema, { reason });
      const { email, ...account } = await find(dependencies, address);
      await resetSecondFactor(dependencies, undefined, account, request.reason);
      return { email };
    },
    /** @throws {AppError} 404 `unknown_user`, 409 `not_enabled`. */
    unlockSecondFactor: async (address: string) => {
      const { email, ...account } = await find(dependencies, address);
      await unlockSecondFactor(dependencies, undefined, account);
      return { email };
    },
    deleteTenant: (name: string) => deleteTenant(dependencies, name),
  };
}

async function find({ queries }: AdministrationDependencies, email: string): Promise<AccountAddress & { readonly email: string }> {
  const account = orRefuse(await findAccountByEmail(queries, email), () =>
    refusal(404, "unknown_user", `There is no account with the address ${email}. See the admins with: sightline admin list`),
  );
  return { id: account.id, tenantId: account.tenantId, email: account.email };
}

/**
 * Deletes a tenant with all its accounts, the last admin's too; the audit keeps who they were. Safe to repeat: what was
 * broken off goes on.
 *
 * @returns how many accounts are gone; undefined when there is no such tenant.
 * @throws {AppError} 409 `default_tenant`: every start makes that one again.
 */
async function deleteTenant(dependencies: AdministrationDependencies, name: string): Promise<number | undefined> {
  if (name === DEFAULT_TENANT) {
    const message = `The tenant ${DEFAULT_TENANT} can't be deleted: every start makes it again. Delete its accounts and repositories in the console.`;
    throw refusal(409, "default_tenant", message);
  }
  const tenant = await findTenant(dependencies.queries, name);
  if (tenant === undefined) {
    return undefined;
  }
  let deleted = 0;
  // An account that is made meanwhile is found by the next round.
  while (!(await deleteTenantRow(dependencies.queries, tenant.id))) {
    for (const id of await listTenantAccounts(dependencies.queries, tenant.id)) {
      await actOnAccount(dependencies, undefined, { id, tenantId: tenant.id }, async ({ transaction, account, record }) => {
        record("user_deleted", { email: account.email, role: account.role });
        await deleteAccountRow(transaction, account.id);
      });
      deleted += 1;
    }
  }
  return deleted;
}

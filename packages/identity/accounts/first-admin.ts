import { hasAccounts } from "./account.store.ts";
import { createAccount, type AccountDependencies } from "./create-account.ts";
import { FALLBACK_EMAIL, type Given } from "./first-admin-problems.ts";
import { makeOneTimePassword } from "./one-time-password.ts";
import { DEFAULT_TENANT, ensureTenant } from "./tenant.store.ts";

export type FirstAdmin = {
  readonly email: string;
  /** Known to nobody else and stored nowhere: print it. Undefined when ADMIN_PASSWORD was given. */
  readonly oneTimePassword: string | undefined;
};

/**
 * Makes the first admin, in the tenant `default`, when there is no account at all. Of many processes that call it at
 * once exactly one gets an answer.
 */
export async function ensureFirstAdmin(
  dependencies: AccountDependencies,
  { ADMIN_EMAIL: email = FALLBACK_EMAIL, ADMIN_PASSWORD: given }: Given,
): Promise<FirstAdmin | undefined> {
  if (await hasAccounts(dependencies.queries)) {
    return undefined;
  }
  const password = given ?? makeOneTimePassword();
  const created = await createAccount(dependencies, {
    email,
    name: "Administrator",
    password,
    mustChangePassword: given === undefined,
    origin: "first_start",
    decide: async (transaction, isFirst) =>
      isFirst ? { role: "admin", tenantId: (await ensureTenant(transaction, DEFAULT_TENANT, dependencies.clock.now())).id } : undefined,
  });
  return created === undefined ? undefined : { email, oneTimePassword: given === undefined ? password : undefined };
}

import { AppError } from "@sightline/foundation/errors";
import { hasAccounts } from "./account.store.ts";
import { createAccount, type AccountDependencies } from "./create-account.ts";
import { makeOneTimePassword } from "./one-time-password.ts";
import { isGuessable } from "./password-rule.ts";
import { DEFAULT_TENANT, ensureTenant } from "./tenant.store.ts";

/** A name below `.localhost` can never be someone's real address (RFC 6761). */
const FALLBACK_EMAIL = "admin@sightline.localhost";

export type FirstAdmin = {
  readonly email: string;
  /** Known to nobody else and stored nowhere: print it. Undefined when ADMIN_PASSWORD was given. */
  readonly oneTimePassword: string | undefined;
};

/**
 * Makes the first admin, in the tenant `default`, when there is no account at all. Of many processes that call it at
 * once exactly one gets an answer.
 *
 * @throws {AppError} 400 when ADMIN_PASSWORD is one that is guessed first.
 */
export async function ensureFirstAdmin(
  dependencies: AccountDependencies,
  given: { readonly email: string | undefined; readonly password: string | undefined },
): Promise<FirstAdmin | undefined> {
  if (await hasAccounts(dependencies.queries)) {
    return undefined;
  }
  const email = given.email ?? FALLBACK_EMAIL;
  if (given.password !== undefined && isGuessable(given.password, email)) {
    throw new AppError({
      code: "password_too_common",
      status: 400,
      message: `ADMIN_PASSWORD is among the first passwords that are guessed, so the first admin ${email} was not made. Set it to a longer phrase of your own, or leave it out to have a one-time password printed, and start again.`,
    });
  }
  const password = given.password ?? makeOneTimePassword();
  const created = await createAccount(dependencies, {
    email,
    name: "Administrator",
    password,
    mustChangePassword: given.password === undefined,
    origin: "first_start",
    decide: async (transaction, isFirst) =>
      isFirst ? { role: "admin", tenantId: (await ensureTenant(transaction, DEFAULT_TENANT, dependencies.clock.now())).id } : undefined,
  });
  return created === undefined ? undefined : { email, oneTimePassword: given.password === undefined ? password : undefined };
}

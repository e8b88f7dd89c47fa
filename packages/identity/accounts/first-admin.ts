import type { IdentityConfig } from "#config.ts";
import { hasAccounts } from "./account.store.ts";
import { createAccount, type AccountDependencies } from "./create-account.ts";
import { makeOneTimePassword } from "./one-time-password.ts";
import { isGuessable } from "./password-rule.ts";
import { DEFAULT_TENANT, ensureTenant } from "./tenant.store.ts";

/** A name below `.localhost` can never be someone's real address (RFC 6761). */
const FALLBACK_EMAIL = "admin@sightline.localhost";

type Given = Pick<IdentityConfig, "ADMIN_EMAIL" | "ADMIN_PASSWORD">;

export type FirstAdmin = {
  readonly email: string;
  /** Known to nobody else and stored nowhere: print it. Undefined when ADMIN_PASSWORD was given. */
  readonly oneTimePassword: string | undefined;
};

/** The problems with ADMIN_EMAIL and ADMIN_PASSWORD, for checks that run before anything is started. */
export function problemsOfFirstAdmin({ ADMIN_EMAIL, ADMIN_PASSWORD }: Given): readonly string[] {
  return ADMIN_PASSWORD !== undefined && isGuessable(ADMIN_PASSWORD, ADMIN_EMAIL ?? FALLBACK_EMAIL)
    ? [
        "ADMIN_PASSWORD is not valid: it is among the first that are guessed; set a longer phrase of your own, or leave it out to have a one-time password printed",
      ]
    : [];
}

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

import { orRefuse, refusal } from "@sightline/foundation/errors";
import { readRequest } from "#read-request.ts";
import { registerRequestSchema } from "#contract.ts";
import { createAccount, type AccountDependencies } from "./create-account.ts";
import { makeOneTimePassword } from "./one-time-password.ts";
import { refuseGuessable } from "./password-rule.ts";
import { DEFAULT_TENANT, ensureTenant, findTenant } from "./tenant.store.ts";

export type AdminRequest = {
  readonly email: string;
  readonly name: string;
  /** When undefined, a one-time password is made. */
  readonly password?: string | undefined;
  readonly tenantName: string;
};

const requestSchema = registerRequestSchema.partial({ password: true });

/**
 * Makes an admin from the host.
 *
 * @throws {AppError} 400 when a field is wrong, 404 `unknown_tenant`, 409 `email_taken`.
 */
export async function createAdmin(
  dependencies: AccountDependencies,
  { tenantName, ...request }: AdminRequest,
): Promise<{ readonly email: string; readonly oneTimePassword: string | undefined }> {
  const { email, name, password: given } = readRequest(requestSchema, request);
  if (given !== undefined) {
    refuseGuessable(given, email);
  }
  const password = given ?? makeOneTimePassword();
  await createAccount(dependencies, {
    email,
    name,
    password,
    mustChangePassword: given === undefined,
    origin: "command",
    decide: async (transaction) => {
      const tenant =
        tenantName === DEFAULT_TENANT
          ? await ensureTenant(transaction, DEFAULT_TENANT, dependencies.clock.now())
          : await findTenant(transaction, tenantName);
      const { id } = orRefuse(tenant, () =>
        refusal(404, "unknown_tenant", `There is no tenant ${tenantName}. Add it first: sightline tenant add ${tenantName}`),
      );
      return { role: "admin", tenantId: id };
    },
  });
  return { email, oneTimePassword: given === undefined ? password : undefined };
}

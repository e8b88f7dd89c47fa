import { orRefuse } from "@sightline/foundation/errors";
import type { Client } from "#audit/client.ts";
import type { RegisterRequest } from "#contract.ts";
import { refusal } from "#refusals.ts";
import { registrationCounters } from "#throttle/counters.ts";
import type { Throttle } from "#throttle/throttle.ts";
import { hasAccounts, type CreatedAccount } from "./account.store.ts";
import { createAccount, type AccountDependencies } from "./create-account.ts";
import { refuseGuessable } from "./password-rule.ts";
import { DEFAULT_TENANT, ensureTenant } from "./tenant.store.ts";

export type RegisterDependencies = AccountDependencies & { readonly throttle: Throttle; readonly registration: "open" | "closed" };

/**
 * The first account of all becomes admin; later ones become members, and only while registration is open.
 *
 * @throws {AppError} 403 `registration_closed`, 409 `email_taken`, 400 `password_too_common`, 429 `too_many_tries`.
 */
export async function register(dependencies: RegisterDependencies, request: RegisterRequest, client: Client): Promise<CreatedAccount> {
  const { queries, throttle, registration, clock } = dependencies;
  await throttle.take(registrationCounters(client.ip));
  if (registration === "closed" && (await hasAccounts(queries))) {
    throw refusal("registration_closed");
  }
  refuseGuessable(request.password, request.email);
  const created = await createAccount(dependencies, {
    ...request,
    mustChangePassword: false,
    origin: "registration",
    client,
    decide: async (transaction, isFirst) => {
      if (!isFirst && registration === "closed") {
        throw refusal("registration_closed");
      }
      const tenant = await ensureTenant(transaction, DEFAULT_TENANT, clock.now());
      return { role: isFirst ? "admin" : "member", tenantId: tenant.id };
    },
  });
  return orRefuse(created, () => refusal("registration_closed"));
}

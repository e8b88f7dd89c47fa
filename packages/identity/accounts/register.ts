import { v7 as uuidv7 } from "uuid";
import { AppError, orRefuse } from "@sightline/foundation/errors";
import type { Client } from "#audit/client.ts";
import type { RegisterRequest } from "#contract.ts";
import { refusal } from "#refusals.ts";
import { registrationCounters } from "#throttle/counters.ts";
import type { Throttle } from "#throttle/throttle.ts";
import type { Transaction } from "#schema.ts";
import { appendAudit } from "#audit/audit.store.ts";
import { findAccountByEmail, hasAccounts, type CreatedAccount } from "./account.store.ts";
import { createAccount, type AccountDependencies, type AccountPlan } from "./create-account.ts";
import { refuseGuessable } from "./password-rule.ts";
import { DEFAULT_TENANT, ensureTenant } from "./tenant.store.ts";

export type RegisterDependencies = AccountDependencies & {
  readonly throttle: Throttle;
  readonly registration: "open" | "closed";
  /** Tells the owner of an account that somebody tried to register with its address. */
  readonly tellOwner: (transaction: Transaction, userId: string, now: Date) => Promise<void>;
};

/**
 * The first account of all becomes admin; later ones become members, and only while registration is open. For an address that has an
 * account the answer is the same and nothing is made, so that nobody learns who is registered; the owner is told.
 *
 * @throws {AppError} 403 `registration_closed`, 400 `password_too_common`, 429 `too_many_tries`.
 */
export async function register(dependencies: RegisterDependencies, request: RegisterRequest, client: Client): Promise<CreatedAccount> {
  const { queries, throttle, registration, clock } = dependencies;
  await throttle.take(registrationCounters(client.ip));
  if (registration === "closed" && (await hasAccounts(queries))) {
    throw refusal("registration_closed");
  }
  refuseGuessable(request.password, request.email);
  const plan: AccountPlan = {
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
  };
  const created = await createAccount(dependencies, plan).catch((error: unknown) => {
    if (error instanceof AppError && error.code === "email_taken") {
      return pretendCreated(dependencies, request, client);
    }
    throw error;
  });
  return orRefuse(created, () => refusal("registration_closed"));
}

/** An answer like that for a new account. The owner, who may have forgotten, is told instead. */
async function pretendCreated(
  { queries, tellOwner, clock }: RegisterDependencies,
  { email, name }: RegisterRequest,
  client: Client,
): Promise<CreatedAccount> {
  const now = clock.now();
  const owner = await findAccountByEmail(queries, email);
  await queries.transaction().execute(async (transaction) => {
    if (owner !== undefined) {
      await tellOwner(transaction, owner.id, now);
    }
    const who = { userId: owner?.id, tenantId: owner?.tenantId, client };
    await appendAudit(transaction, { ...who, event: "user_registration_repeated", at: now });
  });
  return { id: uuidv7(), email, name, role: "member", createdAt: now };
}

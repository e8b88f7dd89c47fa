import { type Account, findAccountByEmail, foldEmail, isSsoDomain, lockVerifiedAccount, storableText } from "#accounts/account.store.ts";
import type { AccountDependencies } from "#accounts/create-account.ts";
import { auditAlone } from "#audit/audit.store.ts";
import type { Client } from "#audit/client.ts";
import type { PartialSession } from "#contract.ts";
import { refusal } from "#refusals.ts";
import { grantLogin, openFullLogin, type FullLoginDependencies, type LoginGrant, type OpenedLogin } from "#session/full-login.ts";
import type { PresentedDevice } from "#session/known-devices.ts";
import { knownDevicePasswordCounters, strangersPasswordCounters } from "#throttle/counters.ts";
import type { Semaphore } from "@sightline/foundation/semaphore";
import { STRANGERS } from "#throttle/stranger-limit.ts";
import { givingBackOnFailure, type Throttle } from "#throttle/throttle.ts";
import { BY_PASSWORD, issuePartialToken, describeSecondSteps } from "#factors/kit/partial-tokens.ts";

export type LoginDependencies = AccountDependencies &
  FullLoginDependencies & {
    readonly throttle: Throttle;
    /** Limits how many passwords of strangers are verified at a time. */
    readonly strangerLimit: Semaphore;
  };

export type Credentials = { readonly email: string; readonly password: string };

/**
 * Exchanges a password for a full session, or for a partial token when the account has a second factor. An unknown
 * address, a wrong password and a disabled account get the same answer after the same work.
 *
 * @throws {AppError} 401 `invalid_credentials`, 403 `sso_required`, 429 `too_many_tries`.
 */
export async function login(
  dependencies: LoginDependencies,
  { email, password }: Credentials,
  client: Client,
  presented: PresentedDevice,
): Promise<LoginGrant | PartialSession> {
  const { queries, hasher, throttle, devices, strangerLimit } = dependencies;
  const foldedEmail = foldEmail(email);
  const device = await devices.knownTo(presented, { foldedEmail: storableText(foldedEmail) });
  const own = device === undefined ? undefined : knownDevicePasswordCounters(device.tokenHash.toString("base64url"));
  const { isOwn, taken } = await throttle.takeOwnOr(own, strangersPasswordCounters(foldedEmail, client.ip), client.left);
  const evaluate = async () => {
    const account = await findAccountByEmail(queries, email);
    const matches = await hasher.verify(account?.passwordHash, password);
    // Alike for every address of such a domain that has no account in another tenant: nobody learns which accounts the owner of the domain
    // has, and which one is kept for emergencies.
    const isRefused = account === undefined || !matches || account.disabledAt !== null;
    if ((isRefused && (await isSsoDomain(queries, email, account?.tenantId))) || account?.ssoOnly === true) {
      await recordFailure(dependencies, account, client, matches ? "sso_required" : undefined);
      return "sso_required";
    }
    if (isRefused) {
      return recordFailure(dependencies, account, client);
    }
    return account.factors.length > 0
      ? askForSecondStep(dependencies, account, client)
      : openSession(dependencies, account, client, presented);
  };
  const opened = await givingBackOnFailure(taken, () => (isOwn ? evaluate() : strangerLimit.run(STRANGERS, undefined, evaluate)));
  if (opened === undefined || opened === "sso_required") {
    throw refusal(opened ?? "invalid_credentials");
  }
  await taken.succeeded();
  return "sessionId" in opened ? grantLogin(dependencies, opened) : opened;
}

async function openSession(
  dependencies: LoginDependencies,
  account: Account,
  client: Client,
  presented: PresentedDevice,
): Promise<OpenedLogin | undefined> {
  const { id: userId, tenantId } = account;
  const authenticatedAt = dependencies.clock.now();
  return dependencies.queries
    .transaction()
    .execute(async (transaction) =>
      (await lockVerifiedAccount(transaction, account))
        ? openFullLogin(transaction, dependencies, { userId, tenantId, amr: ["pwd"], authenticatedAt, client, presented })
        : undefined,
    );
}

async function recordFailure(
  { queries, clock }: LoginDependencies,
  account: Account | undefined,
  client: Client,
  why?: "sso_required",
): Promise<undefined> {
  const reason = why ?? (account === undefined ? "unknown_email" : account.disabledAt === null ? "wrong_password" : "disabled");
  const { id: userId, tenantId } = account ?? {};
  await auditAlone(queries, { event: "login_failed", at: clock.now(), userId, tenantId, client, details: { reason } });
}

/** A password alone never opens an account that has a second factor: there is no session until that was shown too. */
async function askForSecondStep(
  { queries, clock }: LoginDependencies,
  account: Account,
  client: Client,
): Promise<PartialSession | undefined> {
  const partial = await queries
    .transaction()
    .execute(async (transaction) =>
      (await lockVerifiedAccount(transaction, account))
        ? issuePartialToken(transaction, { ...account, ...BY_PASSWORD }, client, clock.now())
        : undefined,
    );
  return partial === undefined ? undefined : { ...partial, ...describeSecondSteps(account) };
}

import { type Account, findAccountByEmail, foldEmail, lockVerifiedAccount, setLastLogin, storableText } from "#accounts/account.store.ts";
import type { AccountDependencies } from "#accounts/create-account.ts";
import { appendAudit, auditAlone } from "#audit/audit.store.ts";
import type { Client } from "#audit/client.ts";
import type { PartialSession } from "#contract.ts";
import { refusal } from "#refusals.ts";
import type { KnownDevices, PresentedDevice } from "#session/known-devices.ts";
import type { Grant, Sessions } from "#session/sessions.ts";
import { knownDevicePasswordCounters, strangersPasswordCounters } from "#throttle/counters.ts";
import type { Turns } from "#throttle/turns.ts";
import { givingBackOnFailure, type Throttle } from "#throttle/throttle.ts";
import { issuePartialToken } from "#totp/partial-tokens.ts";

export type LoginDependencies = AccountDependencies & {
  readonly throttle: Throttle;
  readonly sessions: Sessions;
  readonly devices: KnownDevices;
  /** In which strangers' passwords are looked at. */
  readonly strangers: Turns;
};

/** A full login: the session's tokens, and the one by which the browser is known from now on. */
export type LoginGrant = Grant & { readonly deviceToken: string };

export type Credentials = { readonly email: string; readonly password: string };

/**
 * Exchanges a password for a full session, or for a partial token when the account has a second factor. An unknown
 * address, a wrong password and a disabled account get the same answer after the same work.
 *
 * @throws {AppError} 401 `invalid_credentials`, 429 `too_many_tries`.
 */
export async function login(
  dependencies: LoginDependencies,
  { email, password }: Credentials,
  client: Client,
  presented: PresentedDevice,
): Promise<LoginGrant | PartialSession> {
  const { queries, hasher, throttle, sessions, devices, strangers } = dependencies;
  const foldedEmail = foldEmail(email);
  const device = await devices.knownTo(presented, storableText(foldedEmail));
  const counters =
    device === undefined ? strangersPasswordCounters(foldedEmail, client.ip) : knownDevicePasswordCounters(foldedEmail, device);
  const taken = await throttle.take(counters, client.left);
  const evaluate = async () => {
    const account = await findAccountByEmail(queries, email);
    const matches = await hasher.verify(account?.passwordHash, password);
    if (account === undefined || !matches || account.disabledAt !== null) {
      return recordFailure(dependencies, account, client);
    }
    return account.totpEnabled || account.hasPasskeys
      ? askForCode(dependencies, account, client)
      : openSession(dependencies, account, client, presented);
  };
  const opened = await givingBackOnFailure(taken, () => (device === undefined ? strangers.take(evaluate) : evaluate()));
  if (opened === undefined) {
    throw refusal("invalid_credentials");
  }
  await taken.succeeded();
  return "sessionId" in opened ? { ...(await sessions.grant(opened.sessionId)), deviceToken: opened.deviceToken } : opened;
}

async function openSession(
  { queries, sessions, devices, clock }: LoginDependencies,
  account: Account,
  client: Client,
  presented: PresentedDevice,
): Promise<{ readonly sessionId: string; readonly deviceToken: string } | undefined> {
  return queries.transaction().execute(async (transaction) => {
    if (!(await lockVerifiedAccount(transaction, account))) {
      return undefined;
    }
    const now = clock.now();
    const { id: userId, tenantId } = account;
    const sessionId = await sessions.open(transaction, { userId, amr: ["pwd"], authenticatedAt: now, client });
    const deviceToken = await devices.remember(transaction, userId, presented);
    await setLastLogin(transaction, { id: userId, now });
    await appendAudit(transaction, { event: "login_ok", at: now, userId, actorId: userId, tenantId, sessionId, client });
    return { sessionId, deviceToken };
  });
}

async function recordFailure({ queries, clock }: LoginDependencies, account: Account | undefined, client: Client): Promise<undefined> {
  const reason = account === undefined ? "unknown_email" : account.disabledAt === null ? "wrong_password" : "disabled";
  const { id: userId, tenantId } = account ?? {};
  await auditAlone(queries, { event: "login_failed", at: clock.now(), userId, tenantId, client, details: { reason } });
}

/** A password alone never opens an account that has a second factor: there is no session until that was shown too. */
async function askForCode({ queries, clock }: LoginDependencies, account: Account, client: Client): Promise<PartialSession | undefined> {
  const partial = await queries
    .transaction()
    .execute(async (transaction) =>
      (await lockVerifiedAccount(transaction, account)) ? issuePartialToken(transaction, account, client, clock.now()) : undefined,
    );
  return partial === undefined || !account.hasPasskeys
    ? partial
    : { ...partial, methods: account.totpEnabled ? ["totp", "passkey"] : ["passkey"] };
}

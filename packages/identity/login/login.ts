import type { Clock } from "@sightline/foundation/clock";
import { AppError } from "@sightline/foundation/errors";
import { findAccountByEmail, lockVerifiedAccount, type Account } from "#accounts/account.store.ts";
import { foldEmail } from "#accounts/email-address.ts";
import type { PasswordHasher } from "#accounts/password-hash.ts";
import { appendAudit } from "#audit/audit.store.ts";
import type { Client } from "#audit/client.ts";
import type { Queries } from "#schema.ts";
import type { Grant, Sessions } from "#session/sessions.ts";
import { passwordCounters } from "#throttle/password-counters.ts";
import { givingBackOnFailure, type Throttle } from "#throttle/throttle.ts";

export type LoginDependencies = {
  readonly queries: Queries;
  readonly hasher: PasswordHasher;
  readonly throttle: Throttle;
  readonly sessions: Sessions;
  readonly clock: Clock;
};

export type Credentials = { readonly email: string; readonly password: string };

/**
 * Password to full session. Says the same, after the same work, for an unknown address, a wrong password and a
 * disabled account.
 *
 * @throws {AppError} 401 `invalid_credentials`, 429 `too_many_tries`, 501 `two_factor_unavailable`.
 */
export async function login(dependencies: LoginDependencies, { email, password }: Credentials, client: Client): Promise<Grant> {
  const { queries, hasher, throttle, sessions } = dependencies;
  const taken = await throttle.take(passwordCounters(foldEmail(email), client.ip), client.left);
  const sessionId = await givingBackOnFailure(taken, async () => {
    const account = await findAccountByEmail(queries, email);
    const matches = await hasher.verify(account?.passwordHash, password);
    if (account === undefined || !matches || account.disabledAt !== null) {
      return recordFailure(dependencies, account, client);
    }
    return account.totpEnabled ? refuseSecondFactor(dependencies, account, client) : openSession(dependencies, account, client);
  });
  if (sessionId === undefined) {
    throw new AppError({
      code: "invalid_credentials",
      status: 401,
      message: "E-mail address or password is wrong. Check both, then try again.",
    });
  }
  await taken.succeeded();
  if (sessionId === SECOND_FACTOR) {
    throw new AppError({
      code: "two_factor_unavailable",
      status: 501,
      message: "This account has a second factor, which this version cannot check; nobody can log in to it without. Update the server.",
    });
  }
  return sessions.grant(sessionId);
}

const SECOND_FACTOR = Symbol("the second factor is due");

async function openSession({ queries, sessions, clock }: LoginDependencies, account: Account, client: Client): Promise<string | undefined> {
  return queries.transaction().execute(async (transaction) => {
    if (!(await lockVerifiedAccount(transaction, account))) {
      return undefined;
    }
    const now = clock.now();
    const { id: userId, tenantId } = account;
    const sessionId = await sessions.open(transaction, { userId, amr: ["pwd"], authenticatedAt: now, client });
    await appendAudit(transaction, { event: "login_ok", at: now, userId, actorId: userId, tenantId, sessionId, client });
    return sessionId;
  });
}

async function recordFailure({ queries, clock }: LoginDependencies, account: Account | undefined, client: Client): Promise<undefined> {
  const reason = account === undefined ? "unknown_email" : account.disabledAt === null ? "wrong_password" : "disabled";
  await queries.transaction().execute((transaction) =>
    appendAudit(transaction, {
      event: "login_failed",
      at: clock.now(),
      userId: account?.id,
      tenantId: account?.tenantId,
      client,
      details: { reason },
    }),
  );
}

/** A password alone never opens an account that has a second factor. */
async function refuseSecondFactor({ queries, clock }: LoginDependencies, account: Account, client: Client): Promise<typeof SECOND_FACTOR> {
  const { id: userId, tenantId } = account;
  await queries.transaction().execute((transaction) =>
    appendAudit(transaction, {
      event: "login_failed",
      at: clock.now(),
      userId,
      tenantId,
      client,
      details: { reason: "two_factor_unavailable" },
    }),
  );
  return SECOND_FACTOR;
}

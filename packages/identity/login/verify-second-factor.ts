import { AppError, orRefuse } from "@sightline/foundation/errors";
import { setLastLogin } from "#accounts/account.store.ts";
import { appendAudit } from "#audit/audit.store.ts";
import type { Client } from "#audit/client.ts";
import type { VerifySecondFactorRequest } from "#contract.ts";
import { refusal } from "#refusals.ts";
import type { Grant } from "#session/sessions.ts";
import { consumePartialToken, givePartialTokenBack, takePartialToken, type PartialLogin } from "#totp/partial-token.store.ts";
import { hashOfPartialToken } from "#totp/partial-tokens.ts";
import { isCode, type AcceptedCode, type SecondFactor } from "#totp/second-factor.ts";
import type { LoginDependencies } from "./login.ts";
import { secondFactorCounters } from "#throttle/counters.ts";

export type SecondStepDependencies = LoginDependencies & { readonly secondFactor: SecondFactor };

/**
 * Exchanges a partial token and a code for a full session.
 *
 * @throws {AppError} 401 `invalid_partial_token` or `invalid_code`, 429 `too_many_tries`, 503
 * `second_factor_unreadable`.
 */
export async function verifySecondFactor(
  dependencies: SecondStepDependencies,
  { partial_token: token, code }: VerifySecondFactorRequest,
  client: Client,
): Promise<Grant & { readonly accepted: AcceptedCode }> {
  const { queries, throttle, sessions, clock } = dependencies;
  const network = await throttle.take(secondFactorCounters(client.ip));
  const taken = await takePartialToken(queries, hashOfPartialToken(token), clock.now());
  const login = orRefuse(taken, () => refusal("invalid_partial_token"));
  try {
    const opened = await openSession(dependencies, login, code, client);
    await network.succeeded();
    return { ...(await sessions.grant(opened.sessionId)), accepted: opened.accepted };
  } catch (error) {
    // A try is spent only when the code was evaluated: not while a lock stands, nor after an error of ours, nor by a slip of the keys.
    const isWrong = error instanceof AppError && error.code === "invalid_code";
    if (!isWrong) {
      await network.giveBack();
    }
    if (!isWrong || !isCode(code)) {
      await givePartialTokenBack(queries, login.tokenHash);
    }
    throw error;
  }
}

async function openSession(
  { secondFactor, sessions, clock }: SecondStepDependencies,
  { tokenHash, userId, tenantId, authenticatedAt }: PartialLogin,
  code: string,
  client: Client,
) {
  return secondFactor.withCode({ userId, tenantId, code, client, purpose: "login" }, async (transaction, accepted) => {
    const now = clock.now();
    if (!(await consumePartialToken(transaction, tokenHash, now))) {
      throw refusal("invalid_partial_token");
    }
    const amr = AMR[accepted.method];
    const sessionId = await sessions.open(transaction, { userId, amr, authenticatedAt, client });
    await setLastLogin(transaction, { id: userId, now });
    await appendAudit(transaction, { event: "login_ok", at: now, userId, actorId: userId, tenantId, sessionId, client });
    return { sessionId, accepted };
  });
}

/** Authentication methods by the names of RFC 8176, which has none for a backup code. */
const AMR = { totp: ["pwd", "otp", "mfa"], backup_code: ["pwd", "backup", "mfa"] } as const;

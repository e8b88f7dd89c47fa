import { AppError, orRefuse } from "@sightline/foundation/errors";
import type { Client } from "#audit/client.ts";
import type { VerifySecondFactorRequest } from "#contract.ts";
import { refusal } from "#refusals.ts";
import { withSecondStep } from "#session/authentication-methods.ts";
import { grantLogin, openFullLogin, type LoginGrant } from "#session/full-login.ts";
import type { PresentedDevice } from "#session/known-devices.ts";
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
  presented: PresentedDevice,
): Promise<LoginGrant & { readonly accepted: AcceptedCode }> {
  const { queries, throttle, devices, clock } = dependencies;
  const place = await throttle.take(secondFactorCounters(client.ip, await devices.knownToAnybody(presented)));
  const taken = await takePartialToken(queries, hashOfPartialToken(token), clock.now(), "totp");
  const login = orRefuse(taken, () => refusal("invalid_partial_token"));
  try {
    const opened = await openSession(dependencies, { ...login, code, presented }, client);
    await place.succeeded();
    return { ...(await grantLogin(dependencies, opened)), accepted: opened.accepted };
  } catch (error) {
    // A try is spent only when the code was evaluated: not while a lock stands, nor after an error of ours, nor by a slip of the keys.
    const isWrong = error instanceof AppError && error.code === "invalid_code";
    if (!isWrong) {
      await place.giveBack();
    }
    if (!isWrong || !isCode(code)) {
      await givePartialTokenBack(queries, login.tokenHash);
    }
    throw error;
  }
}

type SecondStep = PartialLogin & { readonly code: string; readonly presented: PresentedDevice };

async function openSession(
  dependencies: SecondStepDependencies,
  { tokenHash, userId, tenantId, authenticatedAt, amr, named, code, presented }: SecondStep,
  client: Client,
) {
  const { secondFactor, clock } = dependencies;
  return secondFactor.withCode({ userId, tenantId, code, client, purpose: "login" }, async (transaction, accepted) => {
    if (!(await consumePartialToken(transaction, tokenHash, clock.now()))) {
      throw refusal("invalid_partial_token");
    }
    const proved = { amr: withSecondStep(amr, AMR[accepted.method]), authenticatedAt, named };
    return { ...(await openFullLogin(transaction, dependencies, { userId, tenantId, ...proved, client, presented })), accepted };
  });
}

/** Authentication methods by the names of RFC 8176, which has none for a backup code. */
const AMR = { totp: ["otp", "mfa"], backup_code: ["backup", "mfa"] } as const;

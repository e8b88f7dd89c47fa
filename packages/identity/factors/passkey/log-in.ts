import { orRefuse } from "@sightline/foundation/errors";
import type { Client } from "#audit/client.ts";
import type { PasskeyAssertion, PasskeyRequest } from "#contract.ts";
import { findPartialLogin } from "#factors/kit/partial-token.store.ts";
import { hashOfPartialToken } from "#factors/kit/partial-tokens.ts";
import type { LoginOrigin } from "#factors/kit/second-step.ts";
import { refusal } from "#refusals.ts";
import { grantLogin, openFullLogin, type FullLoginDependencies, type LoginGrant } from "#session/full-login.ts";
import { ownSecondFactorCounters, passkeyOptionsCounters, secondFactorCounters } from "#throttle/counters.ts";
import { countingRefusals } from "#throttle/throttle.ts";
import { acceptPasskey, type PasskeyDependencies } from "./accept-passkey.ts";
import { passkeyFactor } from "./passkey.ts";
import { requestOptions } from "./request-options.ts";

export type PasskeyLoginDependencies = PasskeyDependencies & FullLoginDependencies;

/** @throws {AppError} 429 `too_many_tries`. */
export async function loginOptions(dependencies: PasskeyLoginDependencies, { ip }: Client): Promise<PasskeyRequest> {
  await dependencies.throttle.take(passkeyOptionsCounters(ip));
  return requestOptions(dependencies, { purpose: "login" });
}

/**
 * Exchanges the answer of a passkey for a full session. A passkey whose user was verified is two factors by itself.
 *
 * @throws {AppError} 401 `invalid_passkey`, 429 `too_many_tries`.
 */
export async function logInWithPasskey(
  dependencies: PasskeyLoginDependencies,
  response: PasskeyAssertion,
  from: LoginOrigin,
): Promise<LoginGrant> {
  const { throttle, devices, clock } = dependencies;
  const { client, presented } = from;
  const device = await devices.knownTo(presented, { credentialId: response.id });
  const own = device === undefined ? undefined : ownSecondFactorCounters(device.userId);
  const { taken } = await throttle.takeOwnOr(own, secondFactorCounters(client.ip));
  const opened = await countingRefusals(taken, () =>
    acceptPasskey(dependencies, { purpose: "login", response, client }, (transaction, { account, amr }) => {
      const login = { userId: account.id, tenantId: account.tenantId, amr, authenticatedAt: clock.now(), details: { method: "passkey" } };
      return openFullLogin(transaction, dependencies, { ...login, ...from });
    }),
  );
  return grantLogin(dependencies, opened);
}

/** @throws {AppError} 401 `invalid_partial_token`, 429 `too_many_tries`. */
export async function secondStepOptions(
  dependencies: PasskeyLoginDependencies,
  partialToken: string,
  { ip }: Client,
): Promise<PasskeyRequest> {
  const { queries, throttle, clock } = dependencies;
  await throttle.take(passkeyOptionsCounters(ip));
  const found = await findPartialLogin(queries, hashOfPartialToken(partialToken), clock.now(), passkeyFactor.isSetUp);
  const userId = orRefuse(found, () => refusal("invalid_partial_token"));
  return requestOptions(dependencies, { purpose: "second_factor", userId });
}

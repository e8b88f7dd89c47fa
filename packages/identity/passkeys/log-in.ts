import { orRefuse } from "@sightline/foundation/errors";
import type { Client } from "#audit/client.ts";
import type { PasskeyAssertion, PasskeyRequest, SecondStepPasskeyRequest } from "#contract.ts";
import { refusal } from "#refusals.ts";
import type { Transaction } from "#schema.ts";
import { withSecondStep } from "#session/authentication-methods.ts";
import {
  grantLogin,
  openFullLogin,
  type FullLogin,
  type FullLoginDependencies,
  type LoginGrant,
  type OpenedLogin,
} from "#session/full-login.ts";
import type { PresentedDevice } from "#session/known-devices.ts";
import { passkeyOptionsCounters, secondFactorCounters } from "#throttle/counters.ts";
import { consumePartialToken, findPasskeyLogin, givePartialTokenBack, takePartialToken } from "#totp/partial-token.store.ts";
import { hashOfPartialToken } from "#totp/partial-tokens.ts";
import { acceptPasskey, countingRefusals, type AcceptedPasskey, type PasskeyDependencies } from "./accept-passkey.ts";
import { requestOptions } from "./request-options.ts";

export type PasskeyLoginDependencies = PasskeyDependencies & FullLoginDependencies;

type From = { readonly client: Client; readonly presented: PresentedDevice };

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
  from: From,
): Promise<LoginGrant> {
  const { throttle, devices, clock } = dependencies;
  const { client, presented } = from;
  const place = await throttle.take(secondFactorCounters(client.ip, await devices.knownToAnybody(presented)));
  const opened = await countingRefusals(place, () =>
    acceptPasskey(dependencies, { purpose: "login", response, client }, (transaction, accepted) =>
      openSession(transaction, dependencies, from, { ...accepted, authenticatedAt: clock.now() }),
    ),
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
  const found = await findPasskeyLogin(queries, hashOfPartialToken(partialToken), clock.now());
  const userId = orRefuse(found, () => refusal("invalid_partial_token"));
  return requestOptions(dependencies, { purpose: "second_factor", userId });
}

/**
 * Exchanges a partial token and the answer of a passkey for a full session.
 *
 * @throws {AppError} 401 `invalid_partial_token` or `invalid_passkey`, 429 `too_many_tries`.
 */
export async function verifyPasskey(
  dependencies: PasskeyLoginDependencies,
  { partial_token: token, response }: SecondStepPasskeyRequest,
  from: From,
): Promise<LoginGrant> {
  const { queries, throttle, devices, clock } = dependencies;
  const { client, presented } = from;
  const place = await throttle.take(secondFactorCounters(client.ip, await devices.knownToAnybody(presented)));
  const opened = await countingRefusals(place, async () => {
    const taken = await takePartialToken(queries, hashOfPartialToken(token), clock.now(), "passkey");
    const { userId, tenantId, tokenHash, authenticatedAt, amr: first, named } = orRefuse(taken, () => refusal("invalid_partial_token"));
    let wasAccepted = false;
    try {
      return await acceptPasskey(
        dependencies,
        { purpose: "second_factor", userId, tenantId, response, client },
        async (transaction, { account, amr }) => {
          wasAccepted = true;
          if (!(await consumePartialToken(transaction, tokenHash, clock.now()))) {
            throw refusal("invalid_partial_token");
          }
          return openSession(transaction, dependencies, from, { account, amr: withSecondStep(first, amr), authenticatedAt, named });
        },
      );
    } catch (error) {
      if (wasAccepted) {
        await givePartialTokenBack(queries, tokenHash);
      }
      throw error;
    }
  });
  return grantLogin(dependencies, opened);
}

function openSession(
  transaction: Transaction,
  dependencies: PasskeyLoginDependencies,
  from: From,
  { account: { id: userId, tenantId }, ...proved }: AcceptedPasskey & Pick<FullLogin, "authenticatedAt" | "named">,
): Promise<OpenedLogin> {
  return openFullLogin(transaction, dependencies, { userId, tenantId, ...proved, ...from, details: { method: "passkey" } });
}

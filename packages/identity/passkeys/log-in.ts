import { orRefuse } from "@sightline/foundation/errors";
import { setLastLogin } from "#accounts/account.store.ts";
import { appendAudit } from "#audit/audit.store.ts";
import type { Client } from "#audit/client.ts";
import type { PasskeyAssertion, PasskeyRequest, SecondStepPasskeyRequest } from "#contract.ts";
import { refusal } from "#refusals.ts";
import type { Transaction } from "#schema.ts";
import type { KnownDevices, PresentedDevice } from "#session/known-devices.ts";
import type { Grant, Sessions } from "#session/sessions.ts";
import { passkeyOptionsCounters, secondFactorCounters } from "#throttle/counters.ts";
import { consumePartialToken, findPasskeyLogin, givePartialTokenBack, takePartialToken } from "#totp/partial-token.store.ts";
import { hashOfPartialToken } from "#totp/partial-tokens.ts";
import { acceptPasskey, countingRefusals, type AcceptedPasskey, type PasskeyDependencies } from "./accept-passkey.ts";
import { requestOptions } from "./request-options.ts";

export type PasskeyLoginDependencies = PasskeyDependencies & { readonly sessions: Sessions; readonly devices: KnownDevices };

type PasskeyGrant = Grant & { readonly deviceToken: string };

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
): Promise<PasskeyGrant> {
  const { throttle, devices, clock } = dependencies;
  const { client, presented } = from;
  const place = await throttle.take(secondFactorCounters(client.ip, await devices.knownToAnybody(presented)));
  const opened = await countingRefusals(place, () =>
    acceptPasskey(dependencies, { purpose: "login", response, client }, (transaction, accepted) =>
      openSession(transaction, dependencies, from, { ...accepted, authenticatedAt: clock.now() }),
    ),
  );
  return grant(dependencies, opened);
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
): Promise<PasskeyGrant> {
  const { queries, throttle, devices, clock } = dependencies;
  const { client, presented } = from;
  const place = await throttle.take(secondFactorCounters(client.ip, await devices.knownToAnybody(presented)));
  const opened = await countingRefusals(place, async () => {
    const taken = await takePartialToken(queries, hashOfPartialToken(token), clock.now(), "passkey");
    const { userId, tenantId, tokenHash, authenticatedAt } = orRefuse(taken, () => refusal("invalid_partial_token"));
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
          return openSession(transaction, dependencies, from, { account, amr: ["pwd", ...amr], authenticatedAt });
        },
      );
    } catch (error) {
      if (wasAccepted) {
        await givePartialTokenBack(queries, tokenHash);
      }
      throw error;
    }
  });
  return grant(dependencies, opened);
}

type Opened = { readonly sessionId: string; readonly deviceToken: string };

async function openSession(
  transaction: Transaction,
  { sessions, devices, clock }: PasskeyLoginDependencies,
  { client, presented }: From,
  { account, amr, authenticatedAt }: AcceptedPasskey & { readonly authenticatedAt: Date },
): Promise<Opened> {
  const now = clock.now();
  const { id: userId, tenantId } = account;
  const sessionId = await sessions.open(transaction, { userId, amr, authenticatedAt, client });
  const deviceToken = await devices.remember(transaction, userId, presented);
  await setLastLogin(transaction, { id: userId, now });
  const details = { method: "passkey" };
  await appendAudit(transaction, { event: "login_ok", at: now, userId, actorId: userId, tenantId, sessionId, client, details });
  return { sessionId, deviceToken };
}

async function grant({ sessions }: PasskeyLoginDependencies, { sessionId, deviceToken }: Opened): Promise<PasskeyGrant> {
  return { ...(await sessions.grant(sessionId)), deviceToken };
}

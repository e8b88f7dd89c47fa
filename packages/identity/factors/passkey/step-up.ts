import { orRefuse } from "@sightline/foundation/errors";
import { findAccount } from "#accounts/account.store.ts";
import type { Caller } from "#audit/client.ts";
import type { PasskeyAssertion, PasskeyRequest } from "#contract.ts";
import { sessionOver } from "#factors/kit/lock-signed-in.ts";
import { raiseSession } from "#factors/kit/raise-session.ts";
import { refusal } from "#refusals.ts";
import { ownSecondFactorCounters, passkeyOptionsCounters } from "#throttle/counters.ts";
import { countingRefusals } from "#throttle/throttle.ts";
import type { PasskeyDependencies } from "./accept-passkey.ts";
import { passkeyProof } from "./passkey.ts";
import { requestOptions } from "./request-options.ts";

/** @throws {AppError} 404 `unknown_passkey` where the account has none, 429 `too_many_tries`. */
export async function stepUpOptions(dependencies: PasskeyDependencies, { userId, sessionId, client }: Caller): Promise<PasskeyRequest> {
  const { queries, throttle } = dependencies;
  const account = orRefuse(await findAccount(queries, userId), sessionOver);
  if (!account.factors.includes("passkey")) {
    throw refusal("unknown_passkey");
  }
  await throttle.take(passkeyOptionsCounters(client.ip));
  return requestOptions(dependencies, { purpose: "step_up", userId, sessionId });
}

/**
 * A passkey in place of password and code, for a session that goes on: as good as a fresh login for ten minutes.
 *
 * @returns when that ends.
 * @throws {AppError} 403 `invalid_passkey`, 429 `too_many_tries`.
 */
export async function stepUpWithPasskey(dependencies: PasskeyDependencies, caller: Caller, response: PasskeyAssertion): Promise<Date> {
  const { queries, throttle } = dependencies;
  const account = orRefuse(await findAccount(queries, caller.userId), sessionOver);
  const taken = await throttle.take(ownFactorCounters(caller));
  return countingRefusals(taken, () => raiseSession(dependencies, caller, account, passkeyProof(dependencies, response)));
}

/** Somebody who is signed in has tries of their own, which strangers of the same network do not use up. */
export function ownFactorCounters({ sessionId }: Caller) {
  return ownSecondFactorCounters(`session ${sessionId}`);
}

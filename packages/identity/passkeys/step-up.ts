import { orRefuse } from "@sightline/foundation/errors";
import { appendAudit } from "#audit/audit.store.ts";
import { findAccount } from "#accounts/account.store.ts";
import { ownAction, type Caller } from "#audit/client.ts";
import type { PasskeyAssertion, PasskeyRequest } from "#contract.ts";
import { refusal } from "#refusals.ts";
import { FRESH_LOGIN_MS } from "#session/fresh-login.ts";
import { setStepUp } from "#session/session.store.ts";
import { passkeyOptionsCounters, secondFactorCounters } from "#throttle/counters.ts";
import { lockSignedIn, sessionOver } from "#totp/lock-signed-in.ts";
import { acceptPasskey, countingRefusals, type PasskeyDependencies } from "./accept-passkey.ts";
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
  const { throttle, clock } = dependencies;
  const { userId, tenantId, sessionId, client } = caller;
  const place = await throttle.take(triesOf(caller));
  return countingRefusals(place, () =>
    acceptPasskey(dependencies, { purpose: "step_up", userId, tenantId, sessionId, response, client }, async (transaction, { account }) => {
      const now = clock.now();
      const until = new Date(now.getTime() + FRESH_LOGIN_MS);
      await lockSignedIn(transaction, account, sessionId);
      await setStepUp(transaction, sessionId, now, until);
      await appendAudit(transaction, { ...ownAction(caller, now), event: "step_up_ok", details: { method: "passkey" } });
      return until;
    }),
  );
}

/** Somebody who is signed in has tries of their own, which strangers of the same network do not use up. */
export function triesOf({ client, sessionId }: Caller) {
  return secondFactorCounters(client.ip, `session ${sessionId}`);
}

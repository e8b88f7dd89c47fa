import { AppError, orRefuse } from "@sightline/foundation/errors";
import type { Client } from "#audit/client.ts";
import { refusal } from "#refusals.ts";
import type { Queries } from "#schema.ts";
import { withSecondStep } from "#session/authentication-methods.ts";
import { grantLogin, openFullLogin, type FullLoginDependencies, type LoginGrant } from "#session/full-login.ts";
import type { PresentedDevice } from "#session/known-devices.ts";
import { ownSecondFactorCounters, secondFactorCounters } from "#throttle/counters.ts";
import { countingRefusals, type Throttle } from "#throttle/throttle.ts";
import type { FactorProof } from "./factor.ts";
import { consumePartialToken, givePartialTokenBack, takePartialToken } from "./partial-token.store.ts";
import { hashOfPartialToken } from "./partial-tokens.ts";

export type SecondStepDependencies = FullLoginDependencies & { readonly queries: Queries; readonly throttle: Throttle };

/** From where somebody logs in. */
export type LoginOrigin = { readonly client: Client; readonly presented: PresentedDevice };

/**
 * Exchanges a partial token and a second factor for a full session.
 *
 * @throws {AppError} 401 `invalid_partial_token`, `invalid_code` or `invalid_passkey`, 429 `too_many_tries`, 503
 * `second_factor_unreadable`.
 */
export async function verifySecondStep<Method extends string>(
  dependencies: SecondStepDependencies,
  token: string,
  proof: FactorProof<Method>,
  { client, presented }: LoginOrigin,
): Promise<LoginGrant & { readonly userId: string; readonly method: Method }> {
  const { queries, throttle, devices, clock } = dependencies;
  const device = await devices.knownTo(presented, { partialToken: hashOfPartialToken(token) });
  const own = device === undefined ? undefined : ownSecondFactorCounters(device.userId);
  const { taken } = await throttle.takeOwnOr(own, secondFactorCounters(client.ip));
  const opened = await countingRefusals(taken, async () => {
    const found = await takePartialToken(queries, hashOfPartialToken(token), clock.now(), proof.isSetUp);
    const { tokenHash, amr, ...login } = orRefuse(found, () => refusal("invalid_partial_token"));
    try {
      return await proof.prove({ ...login, client, purpose: "login" }, async (transaction, proved) => {
        if (!(await consumePartialToken(transaction, tokenHash, clock.now()))) {
          throw refusal("invalid_partial_token");
        }
        const { method, details = {} } = proved;
        const shown = { ...login, amr: withSecondStep(amr, proved.amr), details };
        const session = await openFullLogin(transaction, dependencies, { ...shown, client, presented });
        return { ...session, userId: login.userId, method };
      });
    } catch (error) {
      // A try is spent by a guess that was evaluated and was wrong: not while a lock stands, nor by an error of ours.
      const isWrong = error instanceof AppError && (error.code === "invalid_code" || error.code === "invalid_passkey");
      if (!isWrong || !proof.isGuess) {
        await givePartialTokenBack(queries, tokenHash);
      }
      throw error;
    }
  });
  return { ...(await grantLogin(dependencies, opened)), userId: opened.userId, method: opened.method };
}

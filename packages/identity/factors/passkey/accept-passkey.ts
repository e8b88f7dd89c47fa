import { verifyAuthenticationResponse } from "@simplewebauthn/server";
import type { Clock } from "@sightline/foundation/clock";
import { AppError } from "@sightline/foundation/errors";
import { findAccount, lockVerifiedAccount, type Account } from "#accounts/account.store.ts";
import { appendAudit, type AuditEvent } from "#audit/audit.store.ts";
import type { Client } from "#audit/client.ts";
import type { PasskeyAssertion } from "#contract.ts";
import { refusal } from "#refusals.ts";
import type { Queries, Transaction } from "#schema.ts";
import type { Throttle } from "#throttle/throttle.ts";
import { consumeChallenge, isOpenChallenge, type ChallengeScope } from "./challenge.store.ts";
import { hashOfChallenge, readChallenge } from "./challenges.ts";
import { findPasskey, recordUse, type StoredPasskey } from "./passkey.store.ts";
import { toUserHandle, type RelyingParty } from "./relying-party.ts";

export type PasskeyDependencies = {
  readonly queries: Queries;
  readonly throttle: Throttle;
  readonly relyingParty: RelyingParty;
  readonly clock: Clock;
};

export type PasskeyAttempt = ChallengeScope & {
  readonly purpose: "login" | "second_factor" | "step_up";
  /** The tenant of the account that is known already. */
  readonly tenantId?: string;
  readonly response: PasskeyAssertion;
  readonly client: Client;
};

export type AcceptedPasskey = {
  readonly account: Account;
  readonly amr: readonly string[];
};

type Reason = "challenge" | "unknown_credential" | "other_account" | "account_disabled" | "not_verified" | "cloned" | "account_changed";

class RefusedPasskey extends Error {
  readonly reason: Reason;
  constructor(reason: Reason) {
    super(reason);
    this.reason = reason;
  }
}

type FoundPasskey = { readonly passkey: StoredPasskey | undefined; readonly account: Account | undefined };

/**
 * The only way by which the answer of a passkey is accepted. It is verified outside of any transaction; then the challenge is used
 * up and the counter moved on in the one that `action` runs in.
 *
 * @throws {AppError} 401 (login) or 403 (beside an access token) `invalid_passkey`, whatever is wrong.
 */
export async function acceptPasskey<Result>(
  dependencies: PasskeyDependencies,
  attempt: PasskeyAttempt,
  action: (transaction: Transaction, accepted: AcceptedPasskey) => Promise<Result>,
): Promise<Result> {
  const { queries, clock } = dependencies;
  const challenge = readChallenge(attempt.response.response.clientDataJSON);
  const hash = challenge === undefined ? undefined : hashOfChallenge(challenge);
  const passkey = await findPasskey(queries, attempt.response.id);
  const account = passkey === undefined ? undefined : await findAccount(queries, passkey.userId);
  try {
    if (challenge === undefined || hash === undefined || !(await isOpenChallenge(queries, { ...attempt, hash }, clock.now()))) {
      throw new RefusedPasskey("challenge");
    }
    const known = refuseStrangers(attempt, { passkey, account });
    const { counter, backedUp, amr } = await verify(dependencies, attempt.response, challenge, known.passkey);
    return await queries.transaction().execute(async (transaction) => {
      if (!(await lockVerifiedAccount(transaction, known.account))) {
        throw new RefusedPasskey("account_changed");
      }
      const now = clock.now();
      if (!(await consumeChallenge(transaction, hash, now))) {
        throw new RefusedPasskey("challenge");
      }
      if (!(await recordUse(transaction, { id: known.passkey.id, counter, backedUp, now }))) {
        throw new RefusedPasskey(
          (await findPasskey(transaction, known.passkey.credentialId)) === undefined ? "unknown_credential" : "cloned",
        );
      }
      return action(transaction, { account: known.account, amr });
    });
  } catch (error) {
    if (error instanceof RefusedPasskey) {
      await recordRefusal(dependencies, attempt, { reason: error.reason, passkey, account, hash });
      throw invalidPasskey(attempt.sessionId);
    }
    throw error;
  }
}

/** How it is proved, by the names of RFC 8176: a key in hardware or in software, and its user present and verified. */
export function passkeyAmr(deviceType: "singleDevice" | "multiDevice"): readonly string[] {
  return [deviceType === "singleDevice" ? "hwk" : "swk", "user", "mfa"];
}

/** To a client with an access token 401 would say that this is over. */
export function invalidPasskey(sessionId: string | undefined): AppError {
  const { code, status, message } = refusal("invalid_passkey");
  return new AppError({ code, status: sessionId === undefined ? status : 403, message });
}

/** @throws {RefusedPasskey} */
function refuseStrangers({ purpose, userId, response }: PasskeyAttempt, { passkey, account }: FoundPasskey) {
  if (passkey === undefined || account === undefined) {
    throw new RefusedPasskey("unknown_credential");
  }
  const { userHandle } = response.response;
  const isItsOwn =
    userHandle === undefined ? purpose !== "login" : userHandle === Buffer.from(toUserHandle(account.id)).toString("base64url");
  if (!isItsOwn || (userId !== undefined && userId !== account.id)) {
    throw new RefusedPasskey("other_account");
  }
  if (account.disabledAt !== null) {
    throw new RefusedPasskey("account_disabled");
  }
  return { passkey, account };
}

/** @throws {RefusedPasskey} */
async function verify({ relyingParty }: PasskeyDependencies, response: PasskeyAssertion, challenge: string, passkey: StoredPasskey) {
  const { credentialId: id, publicKey } = passkey;
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: withoutUndefined(response),
    expectedChallenge: challenge,
    expectedOrigin: relyingParty.origin,
    expectedRPID: relyingParty.id,
    requireUserVerification: true,
    // The counter is looked at here, once the signature is known to be right: the library looks before, so that anybody could say
    // of a passkey that it was copied.
    credential: { id, publicKey: Uint8Array.from(publicKey), counter: 0 },
  }).catch((): never => {
    // All that the library throws is about the answer.
    throw new RefusedPasskey("not_verified");
  });
  if (!verified) {
    throw new RefusedPasskey("not_verified");
  }
  const { newCounter: counter, credentialBackedUp: backedUp, credentialDeviceType } = authenticationInfo;
  if (passkey.counter > 0 && counter <= passkey.counter) {
    throw new RefusedPasskey("cloned");
  }
  return { counter, backedUp, amr: passkeyAmr(credentialDeviceType) };
}

function withoutUndefined({ authenticatorAttachment, response: { userHandle, ...response }, ...rest }: PasskeyAssertion) {
  return {
    ...rest,
    ...(authenticatorAttachment === undefined ? {} : { authenticatorAttachment }),
    response: { ...response, ...(userHandle === undefined ? {} : { userHandle }) },
  };
}

type RefusedAttempt = FoundPasskey & { readonly reason: Reason; readonly hash: Buffer | undefined };

/** Whatever it was refused for, its challenge is used up. */
async function recordRefusal(
  { queries, clock }: PasskeyDependencies,
  { purpose, sessionId, client, ...known }: PasskeyAttempt,
  { reason, passkey, account, hash }: RefusedAttempt,
): Promise<void> {
  const at = clock.now();
  const { userId = account?.id, tenantId = account?.tenantId } = known;
  const actorId = sessionId === undefined ? undefined : userId;
  const details = { purpose, reason, ...(passkey === undefined ? {} : { name: passkey.name }) };
  const event: Omit<AuditEvent, "event"> = { at, userId, tenantId, actorId, sessionId, client, details };
  const failed = purpose === "step_up" ? "step_up_failed" : "passkey_login_failed";
  await queries.transaction().execute(async (transaction) => {
    if (hash !== undefined) {
      await consumeChallenge(transaction, hash, at);
    }
    await appendAudit(transaction, ...(reason === "cloned" ? [{ ...event, event: "passkey_cloned" as const }] : []), {
      ...event,
      event: failed,
    });
  });
}

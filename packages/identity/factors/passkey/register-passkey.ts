import { generateRegistrationOptions, verifyRegistrationResponse } from "@simplewebauthn/server";
import { orRefuse } from "@sightline/foundation/errors";
import { findAccount, findProfile } from "#accounts/account.store.ts";
import type { Caller } from "#audit/client.ts";
import type { PasskeyAttestation, PasskeyCreation, RegisterPasskeyRequest } from "#contract.ts";
import type { Notices } from "#notices/notices.ts";
import { refusal } from "#refusals.ts";
import type { Queries } from "#schema.ts";
import type { Grant, Sessions } from "#session/sessions.ts";
import { passkeyOptionsCounters } from "#throttle/counters.ts";
import { countingRefusals } from "#throttle/throttle.ts";
import { lockSignedIn, sessionOver } from "#factors/kit/lock-signed-in.ts";
import { recordFactorChange } from "#factors/kit/record-change.ts";
import { passkeyAmr, invalidPasskey, type PasskeyDependencies } from "./accept-passkey.ts";
import { consumeChallenge, isOpenChallenge } from "./challenge.store.ts";
import { CHALLENGE_MS, hashOfChallenge, issueChallenge, readChallenge } from "./challenges.ts";
import { insertPasskey, listPasskeys } from "./passkey.store.ts";
import { RELYING_PARTY_NAME, toUserHandle } from "./relying-party.ts";
import { describeCredential } from "./request-options.ts";
import { ownFactorCounters } from "./step-up.ts";

export type RegistrationDependencies = PasskeyDependencies & { readonly sessions: Sessions; readonly notices: Notices };

const MAX_PASSKEYS = 20;
/** EdDSA, ES256, RS256: what authenticators have. */
const ALGORITHMS = [-8, -7, -257];

/** @throws {AppError} 403 `passkeys_not_allowed`, 409 `too_many_passkeys`, 429 `too_many_tries`. */
export async function registrationOptions(
  dependencies: RegistrationDependencies,
  { userId, sessionId, client }: Caller,
): Promise<PasskeyCreation> {
  const { queries, throttle, relyingParty } = dependencies;
  const { email, name } = await findAllowed(queries, userId);
  const passkeys = await listPasskeys(queries, userId);
  if (passkeys.length >= MAX_PASSKEYS) {
    throw refusal("too_many_passkeys");
  }
  await throttle.take(passkeyOptionsCounters(client.ip));
  const { challenge, rp, user, pubKeyCredParams } = await generateRegistrationOptions({
    rpName: RELYING_PARTY_NAME,
    rpID: relyingParty.id,
    userID: toUserHandle(userId),
    userName: email,
    userDisplayName: name,
    challenge: await issueChallenge(dependencies, { purpose: "register", userId, sessionId }),
    supportedAlgorithmIDs: ALGORITHMS,
  });
  return {
    challenge,
    rp: { id: relyingParty.id, name: rp.name },
    user,
    pubKeyCredParams: pubKeyCredParams.map(({ alg }) => ({ alg, type: "public-key" })),
    timeout: CHALLENGE_MS,
    excludeCredentials: passkeys.map(describeCredential),
    authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" },
    attestation: "none",
  };
}

/** The new passkey; with the account's first one, the session that stands in place of all others. */
type Registered = { readonly passkey: NonNullable<Awaited<ReturnType<typeof insertPasskey>>>; readonly grant: Grant | undefined };

/**
 * Adds a passkey to the account; to a member's where the policy says so. Its first one is a second factor that was not there before: every session ends, and whoever
 * asked goes on in a new one.
 *
 * @throws {AppError} 401 `auth_failed`, 403 `invalid_passkey` or `passkeys_not_allowed`, 409 `too_many_passkeys`, 429 `too_many_tries`.
 */
export async function registerPasskey(
  dependencies: RegistrationDependencies,
  caller: Caller,
  { name, response }: RegisterPasskeyRequest,
): Promise<Registered> {
  const { queries, throttle, sessions, clock } = dependencies;
  const { userId, sessionId } = caller;
  const account = orRefuse(await findAccount(queries, userId), sessionOver);
  const taken = await throttle.take(ownFactorCounters(caller));
  const { passkey, successor } = await countingRefusals(taken, async () => {
    const { hash, credential, amr } = await verify(dependencies, caller, response);
    return queries.transaction().execute(async (transaction) => {
      await lockSignedIn(transaction, account, sessionId);
      await findAllowed(transaction, userId);
      const now = clock.now();
      if (!(await consumeChallenge(transaction, hash, now))) {
        throw invalidPasskey(sessionId);
      }
      if ((await listPasskeys(transaction, userId)).length >= MAX_PASSKEYS) {
        throw refusal("too_many_passkeys");
      }
      const inserted = await insertPasskey(transaction, { ...credential, user_id: userId, name, created_at: now });
      const added = orRefuse(inserted, () => invalidPasskey(sessionId));
      const isFirst = !account.factors.includes("passkey");
      const change = { event: "passkey_added", notice: "passkey_added", details: { name } } as const;
      const kept = await recordFactorChange(transaction, dependencies, caller, {
        ...change,
        ...(isFirst ? { provedBy: amr } : { keepsSessions: true }),
      });
      return { passkey: added, successor: isFirst ? kept : undefined };
    });
  });
  return { passkey, grant: successor === undefined ? undefined : await sessions.grant(successor) };
}

/** @throws {AppError} 401 `auth_failed`, 403 `passkeys_not_allowed`. */
async function findAllowed(queries: Queries, userId: string) {
  const profile = orRefuse(await findProfile(queries, userId), sessionOver);
  if (!profile.may_add_passkeys) {
    throw refusal("passkeys_not_allowed");
  }
  return profile;
}

/** @throws {AppError} 403 `invalid_passkey`. */
async function verify(
  { queries, relyingParty, clock }: RegistrationDependencies,
  { userId, sessionId }: Caller,
  attestation: PasskeyAttestation,
) {
  const { authenticatorAttachment, ...response } = attestation;
  const challenge = orRefuse(readChallenge(response.response.clientDataJSON), () => invalidPasskey(sessionId));
  const hash = hashOfChallenge(challenge);
  if (!(await isOpenChallenge(queries, { hash, purpose: "register", userId, sessionId }, clock.now()))) {
    throw invalidPasskey(sessionId);
  }
  const { registrationInfo } = await verifyRegistrationResponse({
    response: { ...response, ...(authenticatorAttachment === undefined ? {} : { authenticatorAttachment }) },
    expectedChallenge: challenge,
    expectedOrigin: relyingParty.origin,
    expectedRPID: relyingParty.id,
    requireUserVerification: true,
    supportedAlgorithmIDs: ALGORITHMS,
  }).catch((): never => {
    // All that the library throws is about the answer.
    throw invalidPasskey(sessionId);
  });
  const { credential, credentialDeviceType, credentialBackedUp } = orRefuse(registrationInfo, () => invalidPasskey(sessionId));
  return {
    hash,
    amr: passkeyAmr(credentialDeviceType),
    credential: {
      credential_id: credential.id,
      public_key: Buffer.from(credential.publicKey),
      counter: credential.counter,
      transports: response.response.transports,
      device_type: credentialDeviceType,
      backed_up: credentialBackedUp,
    },
  };
}

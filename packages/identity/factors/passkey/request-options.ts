import { generateAuthenticationOptions } from "@simplewebauthn/server";
import type { PasskeyRequest } from "#contract.ts";
import type { PasskeyDependencies } from "./accept-passkey.ts";
import type { ChallengeScope } from "./challenge.store.ts";
import { CHALLENGE_MS, issueChallenge } from "./challenges.ts";
import { listPasskeys } from "./passkey.store.ts";

/**
 * Makes the request that a browser passes to a passkey. Where the account is known its passkeys are named; at the login none are, so that nothing is
 * told of any account.
 */
export async function requestOptions(dependencies: PasskeyDependencies, scope: ChallengeScope): Promise<PasskeyRequest> {
  const { queries, relyingParty } = dependencies;
  const passkeys = scope.userId === undefined ? [] : await listPasskeys(queries, scope.userId);
  const { challenge } = await generateAuthenticationOptions({
    rpID: relyingParty.id,
    challenge: await issueChallenge(dependencies, scope),
  });
  return {
    challenge,
    rpId: relyingParty.id,
    timeout: CHALLENGE_MS,
    userVerification: "required",
    ...(scope.userId === undefined ? {} : { allowCredentials: passkeys.map(describeCredential) }),
  };
}

export function describeCredential({ credentialId, transports }: { readonly credentialId: string; readonly transports: string[] }) {
  return { id: credentialId, type: "public-key" as const, transports };
}

import { SignJWT } from "jose";
import type { Clock } from "@sightline/foundation/clock";
import { CREDENTIAL_EPOCHS_TYPE, nameInFeed } from "@sightline/foundation/http/credential-epochs";
import type { SigningKeys } from "#keys/signing-keys.ts";
import type { Queries } from "#schema.ts";
import { ACCESS_TOKEN_SECONDS } from "@sightline/foundation/http/token-lifetime";
import { toSeconds } from "./access-token.ts";
import { listDeletedUsers, listRaisedEpochs, listRevokedSessions } from "./credential-epochs.store.ts";

type Dependencies = { readonly queries: Queries; readonly keys: SigningKeys; readonly issuer: string; readonly clock: Clock };

export type CredentialEpochFeed = ReturnType<typeof createCredentialEpochFeed>;

/** How far back the feed reaches: older access tokens have expired, whatever the clocks of verifiers say. */
export const TOLD_BACK_MS = (ACCESS_TOKEN_SECONDS + 120) * 1000;
/** The feed is public, so frequent requests are answered from memory. */
const FRESH_MS = 5_000;
const GOOD_FOR_SECONDS = 120;
/** Invalidates every token of a deleted account: higher than any epoch. */
const NO_EPOCH = 2 ** 31;

/** Tells the other parts which access tokens were invalidated before they expire, by account and by session. */
export function createCredentialEpochFeed(dependencies: Dependencies) {
  const { clock } = dependencies;
  let signed: { readonly at: number; readonly feed: Promise<string> } | undefined;
  return {
    /** The signed feed (a JWS), at most five seconds old. */
    current: (): Promise<string> => {
      const at = clock.now().getTime();
      if (signed !== undefined && at - signed.at < FRESH_MS) {
        return signed.feed;
      }
      const feed = sign(dependencies);
      signed = { at, feed };
      feed.catch(() => (signed = undefined));
      return feed;
    },
  };
}

async function sign({ queries, keys, issuer, clock }: Dependencies): Promise<string> {
  const now = clock.now();
  const since = new Date(now.getTime() - TOLD_BACK_MS);
  const raised = (await listRaisedEpochs(queries, since)).map(({ id, epoch }) => [nameInFeed(id), epoch]);
  const deleted = (await listDeletedUsers(queries, since)).map((id) => [nameInFeed(id), NO_EPOCH]);
  const sessions = (await listRevokedSessions(queries, since)).map(nameInFeed);
  const { kid, privateKey } = await keys.active();
  const issuedAt = toSeconds(now);
  return new SignJWT({ epochs: Object.fromEntries([...raised, ...deleted]), sessions })
    .setProtectedHeader({ alg: "RS256", kid, typ: CREDENTIAL_EPOCHS_TYPE })
    .setIssuer(issuer)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + GOOD_FOR_SECONDS)
    .sign(privateKey);
}

import { createHash, randomBytes } from "node:crypto";
import { z } from "zod";
import type { Clock } from "@sightline/foundation/clock";
import type { Queries } from "#schema.ts";
import { insertChallenge, type ChallengeScope } from "./challenge.store.ts";

const BYTES = 32;

/** How long a browser waits for the passkey, and how long the answer counts. */
export const CHALLENGE_MS = 300_000;

type Dependencies = { readonly queries: Queries; readonly clock: Clock };

/** Makes something for a passkey to sign, once and within five minutes. */
export async function issueChallenge({ queries, clock }: Dependencies, scope: ChallengeScope): Promise<Uint8Array<ArrayBuffer>> {
  const challenge = Uint8Array.from(randomBytes(BYTES));
  const hash = hashOfChallenge(Buffer.from(challenge).toString("base64url"));
  await insertChallenge(queries, { ...scope, hash }, new Date(clock.now().getTime() + CHALLENGE_MS));
  return challenge;
}

/** The hash is all that is stored of a challenge. */
export function hashOfChallenge(challenge: string): Buffer {
  return createHash("sha256").update(challenge).digest();
}

const clientDataSchema = z.object({ challenge: z.string().max(128), crossOrigin: z.boolean().optional() });

/** @returns what was signed; undefined when that can't be read, or came from a page inside of another site's. */
export function readChallenge(clientDataJSON: string): string | undefined {
  try {
    const { challenge, crossOrigin = false } = clientDataSchema.parse(JSON.parse(Buffer.from(clientDataJSON, "base64url").toString()));
    return crossOrigin ? undefined : challenge;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError) {
      return undefined;
    }
    throw error;
  }
}

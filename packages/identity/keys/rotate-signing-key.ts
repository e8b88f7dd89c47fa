import type { Queries } from "#schema.ts";
import { addSigningKey, type NewestSigningKey, type SigningKeyDependencies } from "./add-signing-key.ts";
import { signingKeyAt } from "./signing-keys.ts";
import { listSigningKeys, retireSupersededKeys } from "./signing-keys.store.ts";

const EVERY_MS = 90 * 24 * 3600 * 1000;
/** The hour that an access token lasts, the clock tolerance of verifiers, and the minute that a replica may not know the new key. */
const PUBLISHED_AFTER_MS = 80 * 60_000;

/** Makes the next signing key, unless one already waits for its time. */
export function rotateSigningKey(dependencies: SigningKeyDependencies): Promise<NewestSigningKey> {
  return addSigningKey(dependencies, { unlessSince: dependencies.clock.now() });
}

/** Makes the next signing key when the present one has signed for 90 days. */
export async function rotateSigningKeyWhenDue(dependencies: SigningKeyDependencies): Promise<NewestSigningKey | undefined> {
  const unlessSince = new Date(dependencies.clock.now().getTime() - EVERY_MS);
  const [newest] = await listSigningKeys(dependencies.queries);
  return newest === undefined || newest.active_from > unlessSince ? undefined : addSigningKey(dependencies, { unlessSince });
}

/** Stops publishing keys that have signed nothing for 80 minutes. */
export async function retireSigningKeys(queries: Queries, now: Date): Promise<void> {
  await retireSupersededKeys(queries, { supersededBefore: new Date(now.getTime() - PUBLISHED_AFTER_MS), now });
}

export type SigningKeyState = {
  readonly kid: string;
  readonly state: "next" | "signs" | "verifies";
  readonly activeFrom: Date;
};

/** The published keys, newest first. */
export async function describeSigningKeys({
  queries,
  clock,
}: Pick<SigningKeyDependencies, "queries" | "clock">): Promise<readonly SigningKeyState[]> {
  const now = clock.now();
  const keys = await listSigningKeys(queries);
  const signing = signingKeyAt(keys, now);
  return keys.map((key) => ({
    kid: key.kid,
    state: key.kid === signing?.kid ? "signs" : key.active_from > now ? "next" : "verifies",
    activeFrom: key.active_from,
  }));
}

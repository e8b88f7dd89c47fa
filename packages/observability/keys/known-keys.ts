import type { Clock } from "@sightline/foundation/clock";
import { errorMessage, refusal } from "@sightline/foundation/errors";
import type { Logger } from "@sightline/foundation/log";
import { LRUCache } from "lru-cache";
import type { Query } from "#schema.ts";
import type { UsableKey } from "#query/access/authenticators.ts";
import { findUsableKey, touchApiKey } from "./api-keys.store.ts";

type KnownKeysOptions = { readonly query: Query; readonly clock: Clock; readonly log: Logger };

/** How long a revoked key may still be accepted. */
const FRESH_MS = 10_000;
/** While the database is away, a key that was valid this recently is still accepted: events wait on the stream meanwhile. */
const USABLE_WITHOUT_DATABASE_MS = 15 * 60_000;
const RETRY_SECONDS = 5;
const TOUCH_MS = 60_000;
const MAX_REMEMBERED = 10_000;

type Known = { readonly key: UsableKey; readonly foundAt: number; touchedAt: number };

/** Finds the key of a hash, remembering those that were found for ten seconds, and notes to the minute when each was used. */
export function createKnownKeys({ query, clock, log }: KnownKeysOptions): (hash: string) => Promise<UsableKey | undefined> {
  const known = new LRUCache<string, Known>({ max: MAX_REMEMBERED });

  async function find(hash: string, now: number): Promise<Known | undefined> {
    const before = known.get(hash);
    if (before !== undefined && now - before.foundAt < FRESH_MS) {
      return before;
    }
    try {
      const key = await findUsableKey(query, hash);
      known.delete(hash);
      if (key === undefined) {
        return undefined;
      }
      const found = { key, foundAt: now, touchedAt: before?.touchedAt ?? -Infinity };
      known.set(hash, found);
      return found;
    } catch (error) {
      if (before !== undefined && now - before.foundAt < USABLE_WITHOUT_DATABASE_MS) {
        return before;
      }
      throw refusal(503, "keys_unavailable", "API keys can't be looked up while the database is away; send again later.", {
        headers: { "retry-after": String(RETRY_SECONDS) },
        cause: error,
      });
    }
  }

  return async (hash) => {
    const now = clock.now().getTime();
    const found = await find(hash, now);
    if (found !== undefined && now - found.touchedAt >= TOUCH_MS) {
      found.touchedAt = now;
      void touchApiKey(query, { id: found.key.id, now: new Date(now) }).catch((error: unknown) =>
        log.warn({ reason: errorMessage(error) }, "could not note that an API key was used"),
      );
    }
    return found?.key;
  };
}

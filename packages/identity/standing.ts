import { LRUCache } from "lru-cache";
import { findStanding } from "./accounts/account.store.ts";
import type { Queries } from "./schema.ts";
import { COMMAND_LINE } from "./session/command-token.ts";

/** Finds what of accounts other parts have to know, by their ids alone. */
export { findGoneAccounts, findOwnAddress, findStanding } from "./accounts/account.store.ts";

const KNOWN_MS = 1_500;
const MAX_KNOWN = 10_000;

/**
 * Tells whether an account is there and not disabled, as it was at most a second and a half ago: whoever leaves is out of other parts, too, before
 * what they hold is over. While the database can't be asked, the last answer counts.
 */
export function createActiveCheck(queries: Queries): (userId: string) => Promise<boolean> {
  const known = new LRUCache<string, boolean>({
    max: MAX_KNOWN,
    ttl: KNOWN_MS,
    allowStaleOnFetchRejection: true,
    noDeleteOnFetchRejection: true,
    fetchMethod: async (userId) => userId === COMMAND_LINE || (await findStanding(queries, userId)) !== undefined,
  });
  return async (userId) => (await known.fetch(userId)) ?? false;
}

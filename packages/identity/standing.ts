import { LRUCache } from "lru-cache";
import { validate as isUuid } from "uuid";
import { findStanding, type Standing } from "./accounts/account.store.ts";
import type { Queries } from "./schema.ts";
import { COMMAND_LINE } from "./session/command-token.ts";
import { findActiveWorkload } from "./workload/workload.store.ts";

/** Finds what of accounts other parts have to know, by their ids alone. */
export { findGoneAccounts, findOwnAddress, findStanding } from "./accounts/account.store.ts";

const KNOWN_MS = 1_500;
const MAX_KNOWN = 10_000;
const NOBODY = "nobody";

/**
 * Finds somebody as they were at most a second and a half ago, undefined when there is no such account, or it is disabled: whoever leaves is
 * out of other parts, too, before what they hold is over. While the database can't be asked, the last answer counts.
 */
export function createStandings(queries: Queries, knownMs = KNOWN_MS): (userId: string) => Promise<Standing | undefined> {
  const known = new LRUCache<string, Standing | typeof NOBODY>({
    max: MAX_KNOWN,
    ttl: knownMs,
    allowStaleOnFetchRejection: true,
    noDeleteOnFetchRejection: true,
    fetchMethod: async (id) => (await find(id)) ?? NOBODY,
  });
  async function find(id: string): Promise<Standing | undefined> {
    return (await findStanding(queries, id)) ?? (await standingOfWorkload(queries, id));
  }
  return async (userId) => {
    // The command line of the host is no account, and sees what an admin sees.
    const found = userId === COMMAND_LINE ? { tenantId: "", isAdmin: true, hidden: [], projects: [] } : await known.fetch(userId);
    // Nobody that was known, and an error as it is: the cache answers with nothing then.
    return found === NOBODY ? undefined : (found ?? find(userId));
  };
}

/** A rule by which jobs are trusted is nobody's account; what its tokens open stands in them. */
async function standingOfWorkload(queries: Queries, id: string): Promise<Standing | undefined> {
  const rule = isUuid(id) ? await findActiveWorkload(queries, id) : undefined;
  return rule && { tenantId: rule.tenant_id, isAdmin: false, hidden: [], projects: [] };
}

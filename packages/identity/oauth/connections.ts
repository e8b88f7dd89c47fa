import type { Clock } from "@sightline/foundation/clock";
import type { Owner } from "@sightline/foundation/http/principal";
import { appendAudit } from "#audit/audit.store.ts";
import { ownAction, type Caller } from "#audit/client.ts";
import type { Connection } from "#contract.ts";
import { refusal } from "#refusals.ts";
import type { Queries } from "#schema.ts";
import { listLiveGrants, revokeGrant } from "./grant.store.ts";

type Dependencies = { readonly queries: Queries; readonly clock: Clock };

/** The apps that somebody let in, the newest first. */
export async function listConnections({ queries, clock }: Dependencies, { userId }: Owner): Promise<Connection[]> {
  const grants = await listLiveGrants(queries, userId, clock.now());
  return grants.map(({ app_name: name, redirect_host, ...grant }) => ({
    ...grant,
    app: { name, redirect_host },
    created_at: grant.created_at.toISOString(),
    last_used_at: grant.last_used_at?.toISOString() ?? null,
    expires_at: grant.expires_at.toISOString(),
  }));
}

/**
 * Ends what an app was granted: here at once, in the other parts within a minute.
 *
 * @throws {AppError} 404 `connection_not_found` for one that has ended, was never there or is someone else's.
 */
export async function endConnection({ queries, clock }: Dependencies, caller: Caller, id: string): Promise<void> {
  const now = clock.now();
  const reason = "ended_by_owner";
  await queries.transaction().execute(async (transaction) => {
    const revoked = await revokeGrant(transaction, { id, userId: caller.userId, reason, now });
    if (revoked === undefined) {
      throw refusal("connection_not_found");
    }
    await appendAudit(transaction, {
      ...ownAction(caller, now),
      event: "oauth_revoked",
      details: { grant: id, app: revoked.appName, reason },
    });
  });
}

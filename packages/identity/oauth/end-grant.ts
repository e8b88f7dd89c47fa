import { appendAudit } from "#audit/audit.store.ts";
import type { Client } from "#audit/client.ts";
import type { Clock } from "@sightline/foundation/clock";
import type { Queries } from "#schema.ts";
import { revokeGrant } from "./grant.store.ts";

type Dependencies = { readonly queries: Queries; readonly clock: Clock };

type Ending = {
  readonly grantId: string;
  readonly client: Client | undefined;
  /** The code or token that was shown although it had been used: somebody may hold a stolen copy. Left out, the app itself ended the grant. */
  readonly reused?: string | undefined;
};

/** Ends a grant because of what its app did, with everything that was issued for it. */
export async function endGrant({ queries, clock }: Dependencies, { grantId, client, reused }: Ending): Promise<void> {
  const now = clock.now();
  const reason = reused === undefined ? "ended_by_app" : "reused";
  await queries.transaction().execute(async (transaction) => {
    const revoked = await revokeGrant(transaction, { id: grantId, reason, now });
    if (revoked === undefined) {
      return;
    }
    const { userId, tenantId, appName: app } = revoked;
    const event = { at: now, userId, tenantId, sessionId: grantId, client };
    await appendAudit(
      transaction,
      ...(reused === undefined ? [] : [{ ...event, event: "oauth_reuse_detected" as const, details: { app, what: reused } }]),
      { ...event, event: "oauth_revoked", details: { app, reason } },
    );
  });
}

import type { Transaction } from "kysely";
import { appendAudit } from "#audit/audit.store.ts";
import type { Client } from "#audit/client.ts";
import type { IdentitySchema } from "#schema.ts";
import { revokeSessionsOf } from "./session.store.ts";

type Ending = {
  readonly userId: string;
  readonly tenantId: string;
  /** Undefined when it was done on the host. */
  readonly actorId: string | undefined;
  readonly client: Client | undefined;
  readonly reason: string;
  readonly now: Date;
  /** The session that goes on. */
  readonly except?: string | undefined;
};

/** Ends a user's sessions, with an audit row each. @returns how many. */
export async function endSessions(transaction: Transaction<IdentitySchema>, ending: Ending): Promise<number> {
  const { userId, tenantId, actorId, client, reason, now } = ending;
  const revoked = await revokeSessionsOf(transaction, ending);
  for (const sessionId of revoked) {
    await appendAudit(transaction, {
      event: "session_revoked",
      at: now,
      userId,
      tenantId,
      actorId,
      sessionId,
      client,
      details: { reason },
    });
  }
  return revoked.length;
}

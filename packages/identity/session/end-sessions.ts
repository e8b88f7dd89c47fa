import type { Transaction } from "kysely";
import { appendAudit, type AuditEvent } from "#audit/audit.store.ts";
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

/**
 * Ends a user's sessions, with an audit row each behind those of the action that ends them. The audit comes last in a
 * transaction: so does this call. @returns how many.
 */
export async function endSessions(
  transaction: Transaction<IdentitySchema>,
  ending: Ending,
  ...action: readonly AuditEvent[]
): Promise<number> {
  const { userId, tenantId, actorId, client, reason, now } = ending;
  const revoked = await revokeSessionsOf(transaction, ending);
  const rows = revoked.map((sessionId): AuditEvent => {
    return { event: "session_revoked", at: now, userId, tenantId, actorId, sessionId, client, details: { reason } };
  });
  await appendAudit(transaction, ...action, ...rows);
  return revoked.length;
}

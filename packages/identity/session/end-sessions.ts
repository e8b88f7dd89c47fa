import { appendAudit, type AuditEvent } from "#audit/audit.store.ts";
import type { Client } from "#audit/client.ts";
import type { Transaction } from "#schema.ts";
import { revokeSessionsOf } from "./session.store.ts";

type Ending = {
  readonly userId: string;
  readonly tenantId: string;
  /** Undefined when it was done on the host. */
  readonly actorId: string | undefined;
  readonly client: Client | undefined;
  readonly reason: string;
  readonly now: Date;
  /** The session that is kept. */
  readonly except?: string | undefined;
};

/**
 * Ends a user's sessions and appends an audit row for each, behind the rows of the action that ends them. Call it last
 * in a transaction, since the audit comes last.
 *
 * @returns how many sessions ended.
 */
export async function endSessions(transaction: Transaction, ending: Ending, ...action: readonly AuditEvent[]): Promise<number> {
  const { userId, tenantId, actorId, client, reason, now } = ending;
  const revoked = await revokeSessionsOf(transaction, ending);
  const rows = revoked.map((sessionId): AuditEvent => {
    return { event: "session_revoked", at: now, userId, tenantId, actorId, sessionId, client, details: { reason } };
  });
  await appendAudit(transaction, ...action, ...rows);
  return revoked.length;
}

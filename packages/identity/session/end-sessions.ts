import { appendAudit, type AuditEvent } from "#audit/audit.store.ts";
import type { Transaction } from "#schema.ts";
import { revokeSessionsOf } from "./session.store.ts";

type Ending = Pick<AuditEvent, "at" | "tenantId" | "actorId" | "client"> & {
  readonly userId: string;
  readonly reason: string;
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
  const { at, userId, tenantId, actorId, client, reason, except } = ending;
  const revoked = await revokeSessionsOf(transaction, userId, reason, at, except);
  const rows = revoked.map((sessionId): AuditEvent => {
    return { event: "session_revoked", at, userId, tenantId, actorId, sessionId, client, details: { reason } };
  });
  await appendAudit(transaction, ...action, ...rows);
  return revoked.length;
}

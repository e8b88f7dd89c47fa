import type { Clock } from "@sightline/foundation/clock";
import type { Owner } from "@sightline/foundation/http/principal";
import { appendAudit } from "#audit/audit.store.ts";
import { ownAction, type Caller } from "#audit/client.ts";
import type { SessionItem } from "#contract.ts";
import { refusal } from "#refusals.ts";
import type { Queries } from "#schema.ts";
import { forgetDevices } from "./known-device.store.ts";
import { hashesOf, type PresentedDevice } from "./known-devices.ts";
import { endSessions } from "./end-sessions.ts";
import { deletePartialTokensOf, listLiveSessions, lockUser, revokeSession } from "./session.store.ts";

export type OwnSessionsDependencies = { readonly queries: Queries; readonly clock: Clock };

/** Lists the user's live sessions, the last used first. */
export async function listOwnSessions({ queries, clock }: OwnSessionsDependencies, owner: Owner): Promise<SessionItem[]> {
  const sessions = await listLiveSessions(queries, owner.userId, clock.now());
  return sessions.map((session) => ({
    ...session,
    current: session.id === owner.sessionId,
    created_at: session.created_at.toISOString(),
    last_used_at: session.last_used_at.toISOString(),
    idle_expires_at: session.idle_expires_at.toISOString(),
    expires_at: session.expires_at.toISOString(),
  }));
}

/**
 * Ends one of the user's sessions, the current one too.
 *
 * @throws {AppError} 404 `session_not_found` for one that has ended, was never there or is someone else's.
 */
export async function revokeOwnSession({ queries, clock }: OwnSessionsDependencies, caller: Caller, sessionId: string): Promise<void> {
  const now = clock.now();
  const reason = "revoked";
  await queries.transaction().execute(async (transaction) => {
    if (!(await revokeSession(transaction, { id: sessionId, userId: caller.userId, reason, now }))) {
      throw refusal("session_not_found");
    }
    await appendAudit(transaction, { ...ownAction(caller, now), event: "session_revoked", sessionId, details: { reason } });
  });
}

/**
 * Ends every session of the user except the calling one, and every login that waits for its second step. Every browser but the
 * calling one is a stranger again.
 *
 * @returns how many sessions ended.
 */
export async function revokeOtherSessions(
  { queries, clock }: OwnSessionsDependencies,
  caller: Caller,
  presented: PresentedDevice,
): Promise<number> {
  const now = clock.now();
  return queries.transaction().execute(async (transaction) => {
    await lockUser(transaction, caller.userId);
    await deletePartialTokensOf(transaction, caller.userId);
    await forgetDevices(transaction, caller.userId, hashesOf(presented));
    return endSessions(transaction, { ...ownAction(caller, now), reason: "revoked_others", except: caller.sessionId });
  });
}

import type { Clock } from "@sightline/foundation/clock";
import { orRefuse } from "@sightline/foundation/errors";
import { appendAudit } from "#audit/audit.store.ts";
import { ownAction, type Caller } from "#audit/client.ts";
import type { AuditEventName } from "#contract.ts";
import type { NoticeKind } from "#notices/notice-texts.ts";
import type { Notices } from "#notices/notices.ts";
import type { Transaction } from "#schema.ts";
import { withSecondStep } from "#session/authentication-methods.ts";
import { endSessions } from "#session/end-sessions.ts";
import { deletePartialTokensOf, findSession } from "#session/session.store.ts";
import type { Sessions } from "#session/sessions.ts";
import { sessionOver } from "./lock-signed-in.ts";

type Dependencies = { readonly notices: Notices; readonly sessions: Sessions; readonly clock: Clock };

type FactorChange = {
  readonly event: AuditEventName;
  /** The notice to the owner, and the reason for which sessions end. */
  readonly notice: NoticeKind;
  readonly details?: Readonly<Record<string, string>>;
  /** How a factor was proved that was not there before: a new session takes the caller's place. */
  readonly provedBy?: readonly string[];
  /** Set where nothing is less safe than before. */
  readonly keepsSessions?: boolean;
};

/**
 * Does what every change of one's own second factors brings: logins that wait for their second step begin again, the owner is told, and the
 * other sessions end, since one of them may be that of whoever has the old factor. With a new factor the caller's own ends, too (OWASP
 * ASVS 5, 7.2.4): what was copied of it before is worth nothing.
 *
 * @returns the session that goes on.
 */
export async function recordFactorChange(
  transaction: Transaction,
  { notices, sessions, clock }: Dependencies,
  caller: Caller,
  { event, notice, details = {}, provedBy, keepsSessions = false }: FactorChange,
): Promise<string> {
  const { userId, sessionId, authenticatedAt, client } = caller;
  const action = ownAction(caller, clock.now());
  await deletePartialTokensOf(transaction, userId);
  await notices.append(transaction, { userId, kind: notice, at: action.at, details: { ...details, ip: client.ip } });
  if (keepsSessions) {
    await appendAudit(transaction, { ...action, event, details });
    return sessionId;
  }
  async function openSuccessor(second: readonly string[]): Promise<string> {
    // Whoever came by the company's provider still did, and stays for a day at the most.
    const { amr } = orRefuse(await findSession(transaction, sessionId), sessionOver);
    return sessions.open(transaction, { userId, amr: withSecondStep(amr, second), authenticatedAt, client });
  }
  const kept = provedBy === undefined ? sessionId : await openSuccessor(provedBy);
  await endSessions(transaction, { ...action, reason: notice, except: kept }, { ...action, event, details });
  return kept;
}

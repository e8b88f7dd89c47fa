import type { Transaction } from "kysely";
import type { Clock } from "@sightline/foundation/clock";
import { AppError } from "@sightline/foundation/errors";
import type { Owner } from "@sightline/foundation/http/principal";
import { appendAudit, type AuditEvent } from "#audit/audit.store.ts";
import type { Client } from "#audit/client.ts";
import type { AuditEventName } from "#contract.ts";
import type { IdentitySchema, Queries } from "#schema.ts";
import { endSessions } from "#session/end-sessions.ts";
import { isActiveAdmin, lockAdministration, lockManagedAccount, type ManagedAccount } from "./managed-account.store.ts";

/** An admin with a session; the host's command line has none. */
export type Actor = { readonly owner: Owner; readonly client: Client };

export type AccountAddress = { readonly id: string; readonly tenantId: string };

/** One action on one account, inside its transaction. */
export type Action = {
  readonly transaction: Transaction<IdentitySchema>;
  readonly account: ManagedAccount;
  readonly now: Date;
  /** For the audit, which is written once `act` is through: everybody waits for its end from then on. */
  readonly record: (event: AuditEventName, details?: Readonly<Record<string, string>>) => void;
  /** Ends every session of the account, then too. */
  readonly endSessions: (reason: string) => void;
};

type Dependencies = { readonly queries: Queries; readonly clock: Clock };

/**
 * Runs `act` on an account of the tenant, which nobody else changes meanwhile. Whether the actor is an admin is looked at
 * once more under the lock: of two admins who demote each other at the same moment only the first is one.
 *
 * @throws {AppError} 404 `unknown_user` (also for the account of another tenant), 403 `admin_only`.
 */
export async function actOnAccount<Result>(
  { queries, clock }: Dependencies,
  actor: Actor | undefined,
  address: AccountAddress,
  act: (action: Action) => Promise<Result>,
): Promise<Result> {
  return queries.transaction().execute(async (transaction) => {
    await lockAdministration(transaction, address.tenantId);
    if (actor !== undefined) {
      await refuseFormerAdmin(transaction, actor.owner);
    }
    const account = await lockManagedAccount(transaction, address);
    if (account === undefined) {
      throw unknownUser();
    }
    const now = clock.now();
    const { id: userId, tenantId } = account;
    const who = { userId, tenantId, actorId: actor?.owner.userId, client: actor?.client };
    const events: AuditEvent[] = [];
    let reason: string | undefined;
    const result = await act({
      transaction,
      account,
      now,
      record: (event, details = {}) => {
        const origin = actor === undefined ? { origin: "command" } : {};
        events.push({ ...who, event, at: now, sessionId: actor?.owner.sessionId, details: { ...details, ...origin } });
      },
      endSessions: (given) => void (reason = given),
    });
    await (reason === undefined ? appendAudit(transaction, ...events) : endSessions(transaction, { ...who, reason, now }, ...events));
    return result;
  });
}

/** @throws {AppError} 403 `admin_only`. */
export async function refuseFormerAdmin(queries: Queries, { userId: id, tenantId }: Owner): Promise<void> {
  if (!(await isActiveAdmin(queries, { id, tenantId }))) {
    throw new AppError({ code: "admin_only", status: 403, message: "You are no admin any more. Ask an admin of your organisation." });
  }
}

export function unknownUser(): AppError {
  return new AppError({ code: "unknown_user", status: 404, message: "Your organisation has no such account. See GET /admin/users." });
}

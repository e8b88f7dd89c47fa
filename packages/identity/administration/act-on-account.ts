import type { Transaction } from "kysely";
import type { Clock } from "@sightline/foundation/clock";
import { AppError } from "@sightline/foundation/errors";
import type { Owner } from "@sightline/foundation/principal";
import { appendAudit, type AuditEventName } from "#audit/audit.store.ts";
import type { Client } from "#audit/client.ts";
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
  readonly record: (event: AuditEventName, details?: Readonly<Record<string, string>>) => Promise<void>;
  /** Ends every session of the account. Writes audit rows: comes last. */
  readonly endSessions: (reason: string) => Promise<void>;
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
    return act({
      transaction,
      account,
      now,
      record: (event, details = {}) =>
        appendAudit(transaction, {
          ...who,
          event,
          at: now,
          sessionId: actor?.owner.sessionId,
          details: actor === undefined ? { ...details, origin: "command" } : details,
        }),
      endSessions: async (reason) => void (await endSessions(transaction, { ...who, reason, now })),
    });
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

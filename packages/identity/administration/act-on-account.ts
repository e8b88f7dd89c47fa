import { orRefuse } from "@sightline/foundation/errors";
import { adminOnly, type Owner } from "@sightline/foundation/http/principal";
import { appendAudit, type AuditEvent } from "#audit/audit.store.ts";
import type { Caller, Client } from "#audit/client.ts";
import type { AuditEventName } from "#contract.ts";
import type { Queries, Transaction } from "#schema.ts";
import { endSessions } from "#session/end-sessions.ts";
import { isActiveAdmin, lockAdministration, lockManagedAccount, type ManagedAccount } from "./managed-account.store.ts";
import type { AccountDependencies } from "#accounts/create-account.ts";
import type { Notices } from "#notices/notices.ts";
import { refusal } from "#refusals.ts";

/** Whoever acts without an account: the host's command line when it is undefined, or the company's directory. */
export type Directory = { readonly origin: "scim"; readonly client: Client };

export type AccountAddress = { readonly id: string; readonly tenantId: string };

/** One action on one account, inside its transaction. */
export type Action = {
  readonly transaction: Transaction;
  readonly account: ManagedAccount;
  readonly now: Date;
  /** Adds an audit event. The audit is written after `act` has ended, since everybody waits for its lock from then on. */
  readonly record: (event: AuditEventName, details?: Readonly<Record<string, string>>) => void;
  /** Ends every session of the account, also after `act` has ended. */
  readonly endSessions: (reason: string) => void;
};

/**
 * Runs `act` on an account of the tenant under a lock; the host's command line acts without an actor. Whether the actor still
 * is an admin is checked again under that lock: of two admins who demote each other at the same moment only the first succeeds.
 *
 * @throws {AppError} 404 `unknown_user` (also for an account of another tenant), 403 `admin_only`.
 */
export async function actOnAccount<Result>(
  { queries, clock }: AccountDependencies,
  by: Caller | Directory | undefined,
  address: AccountAddress,
  act: (action: Action) => Promise<Result>,
): Promise<Result> {
  const actor = by !== undefined && "userId" in by ? by : undefined;
  const origin = actor === undefined ? { origin: by !== undefined && "origin" in by ? by.origin : "command" } : {};
  return queries.transaction().execute(async (transaction) => {
    await lockAdministration(transaction, address.tenantId);
    if (actor !== undefined) {
      await refuseFormerAdmin(transaction, actor);
    }
    const account = orRefuse(await lockManagedAccount(transaction, address), () => refusal("unknown_user"));
    const now = clock.now();
    const { id: userId, tenantId } = account;
    const who = { userId, tenantId, actorId: actor?.userId, client: by?.client };
    const events: AuditEvent[] = [];
    let reason: string | undefined;
    const result = await act({
      transaction,
      account,
      now,
      record: (event, details = {}) => {
        events.push({ ...who, event, at: now, sessionId: actor?.sessionId, details: { ...details, ...origin } });
      },
      endSessions: (given) => void (reason = given),
    });
    await (reason === undefined ? appendAudit(transaction, ...events) : endSessions(transaction, { ...who, reason, at: now }, ...events));
    return result;
  });
}

/** @throws {AppError} 403 `admin_only`. */
export async function refuseFormerAdmin(queries: Queries, { userId: id, tenantId }: Owner): Promise<void> {
  if (!(await isActiveAdmin(queries, { id, tenantId }))) {
    throw adminOnly();
  }
}

export type AdministrationDependencies = AccountDependencies & {
  readonly notices: Notices;
  /** Whether there is a mail server (SMTP_URL). */
  readonly mailed: boolean;
  /** Where mailed links lead. */
  readonly publicUrl: string;
};

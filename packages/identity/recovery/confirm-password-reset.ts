import { orRefuse } from "@sightline/foundation/errors";
import { updatePassword } from "#accounts/account.store.ts";
import type { AccountDependencies } from "#accounts/create-account.ts";
import { refuseGuessable } from "#accounts/password-rule.ts";
import type { AuditEvent } from "#audit/audit.store.ts";
import type { Client } from "#audit/client.ts";
import type { Notices } from "#notices/notices.ts";
import { refusal } from "#refusals.ts";
import type { Transaction } from "#schema.ts";
import { endSessions } from "#session/end-sessions.ts";
import type { Throttle } from "#throttle/throttle.ts";
import { deleteMailTicketsOf, findMailTicket, lockTicketOwner, takeMailTicket, type MailTicket } from "./mail-ticket.store.ts";
import { hashTicketToken } from "./mail-ticket.ts";
import { confirmationCounters } from "#throttle/counters.ts";

export type ConfirmationDependencies = AccountDependencies & {
  readonly throttle: Throttle;
  readonly notices: Notices;
  /** Lifts locks of the second factor's codes; answers whether there were any. The factor itself is left as it is. */
  readonly liftLocks: (transaction: Transaction, userId: string, now: Date) => Promise<boolean>;
};

type Confirmation = { readonly token: string; readonly newPassword: string };

/**
 * Sets the password that the link's owner has chosen, once. Ends every session and every other link; logs nobody in, and
 * leaves the second factor as it is, but for locks of its codes, which whoever knew the old password brought about. A password that is refused leaves the link good.
 *
 * @throws {AppError} 400 `link_not_valid` or `password_too_common`, 429 `too_many_tries`.
 */
export async function confirmPasswordReset(
  dependencies: ConfirmationDependencies,
  { token, newPassword }: Confirmation,
  client: Client,
): Promise<void> {
  const { queries, hasher, throttle, clock } = dependencies;
  await throttle.take(confirmationCounters(client.ip));
  const tokenHash = hashTicketToken(token);
  const ticket = orRefuse(await findMailTicket(queries, tokenHash, clock.now()), () => refusal("link_not_valid"));
  refuseGuessable(newPassword, ticket.email);
  await setPassword(dependencies, { ticket, tokenHash, passwordHash: await hasher.hash(newPassword) }, client);
}

async function setPassword(
  { queries, notices, liftLocks, clock }: ConfirmationDependencies,
  { ticket, tokenHash, passwordHash }: { readonly ticket: MailTicket; readonly tokenHash: Buffer; readonly passwordHash: string },
  client: Client,
): Promise<void> {
  const { userId, tenantId, purpose } = ticket;
  await queries.transaction().execute(async (transaction) => {
    const now = clock.now();
    if (!(await lockTicketOwner(transaction, ticket)) || !(await takeMailTicket(transaction, tokenHash, now))) {
      throw refusal("link_not_valid");
    }
    await updatePassword(transaction, { id: userId, passwordHash, now });
    await deleteMailTicketsOf(transaction, userId);
    await notices.append(transaction, { userId, kind: "password_changed", at: now, details: { ip: client.ip } });
    const action = { at: now, userId, tenantId, client };
    const changed = { ...action, event: "user_password_changed", details: { by: purpose } } as const;
    const lifted: AuditEvent[] = [];
    if (await liftLocks(transaction, userId, now)) {
      await notices.append(transaction, { userId, kind: "two_factor_unlocked", at: now, details: { by: "password_reset" } });
      lifted.push({ ...action, event: "2fa_unlocked", details: { by: "password_reset" } });
    }
    await endSessions(transaction, { ...action, reason: "password_changed" }, changed, ...lifted);
  });
}

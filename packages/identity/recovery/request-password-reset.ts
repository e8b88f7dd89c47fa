import { setTimeout as delay } from "node:timers/promises";
import { findAccountByEmail, foldEmail, storableText } from "#accounts/account.store.ts";
import { appendAudit } from "#audit/audit.store.ts";
import type { Client } from "#audit/client.ts";
import { mailNotConfigured } from "#notices/notices.ts";
import type { KnownDevices, PresentedDevice } from "#session/known-devices.ts";
import { givingBackOnFailure } from "#throttle/throttle.ts";
import type { ConfirmationDependencies } from "./confirm-password-reset.ts";
import { createMailTicket } from "./mail-ticket.ts";
import { knownDeviceResetCounters, resetRequestCounters } from "#throttle/counters.ts";

export type ResetRequestDependencies = Omit<ConfirmationDependencies, "hasher"> & {
  readonly publicUrl: string;
  /** Whether there is a mail server. */
  readonly mailed: boolean;
  readonly devices: KnownDevices;
};

/** Many times longer than either case takes, with and without an account. */
const ANSWER_MS = 250;

/**
 * Has a link mailed with which the owner of the account chooses a new password. Ends alike, after the same time, whether
 * there is such an account or not.
 *
 * @throws {AppError} 409 `mail_not_configured`, 429 `too_many_tries`.
 */
export async function requestPasswordReset(
  dependencies: ResetRequestDependencies,
  email: string,
  client: Client,
  presented: PresentedDevice,
): Promise<void> {
  if (!dependencies.mailed) {
    throw mailNotConfigured("Ask an admin of your organization for a one-time password.");
  }
  const foldedEmail = foldEmail(email);
  const device = await dependencies.devices.knownTo(presented, { foldedEmail: storableText(foldedEmail) });
  const own = device === undefined ? undefined : knownDeviceResetCounters(device.userId);
  const { taken } = await dependencies.throttle.takeOwnOr(own, resetRequestCounters(foldedEmail, client.ip));
  await Promise.all([givingBackOnFailure(taken, () => prepareMail(dependencies, email, client)), delay(ANSWER_MS)]);
}

async function prepareMail({ queries, notices, clock, publicUrl }: ResetRequestDependencies, email: string, client: Client): Promise<void> {
  const account = await findAccountByEmail(queries, email);
  const reason = account === undefined ? "unknown_email" : account.disabledAt === null ? undefined : "disabled";
  await queries.transaction().execute(async (transaction) => {
    const now = clock.now();
    if (account !== undefined && reason === undefined) {
      const link = await createMailTicket(transaction, { userId: account.id, purpose: "password_reset", now, publicUrl });
      await notices.append(transaction, { userId: account.id, kind: "password_reset", at: now, details: { ip: client.ip }, link });
    }
    await appendAudit(transaction, {
      event: "user_password_reset_requested",
      at: now,
      userId: account?.id,
      tenantId: account?.tenantId,
      client,
      details: reason === undefined ? {} : { refused: reason },
    });
  });
}

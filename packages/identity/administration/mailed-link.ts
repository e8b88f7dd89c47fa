import { mailNotConfigured } from "#notices/notices.ts";
import { createMailTicket } from "#recovery/mail-ticket.ts";
import type { Transaction } from "#schema.ts";
import type { AdministrationDependencies } from "./act-on-account.ts";

/** Mails a link by which the owner of the account chooses a password; it is sent when the transaction has committed. */
export async function mailLink(
  { notices, publicUrl }: AdministrationDependencies,
  transaction: Transaction,
  { userId, purpose, now }: { readonly userId: string; readonly purpose: "invitation" | "password_reset"; readonly now: Date },
): Promise<void> {
  const link = await createMailTicket(transaction, { userId, purpose, now, publicUrl });
  await notices.append(transaction, { userId, kind: purpose, at: now, details: { by: "admin" }, link });
}

/** @throws {AppError} 409 `mail_not_configured`. */
export function refuseWithoutMail({ mailed }: AdministrationDependencies, instead: string): void {
  if (!mailed) {
    throw mailNotConfigured(instead);
  }
}
